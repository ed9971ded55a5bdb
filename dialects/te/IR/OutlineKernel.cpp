//===- OutlineKernel.cpp - a kernel from expressions of the host program -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/IR/OutlineKernel.h"
#include "dialects/te/IR/Captures.h"
#include "dialects/te/IR/Sizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

namespace {
/// The parameters and results of a kernel, as values of the host program.
struct Interface {
  /// One value for each parameter: tensors, then values of type index, then other scalars.
  SmallVector<Value> parameters;
  /// For each tensor, the positions of the parameters that hold its sizes, or -1 for static sizes.
  SmallVector<SmallVector<int64_t>> sizes;
  /// Captured scalar constants, which are cloned into the kernel.
  SmallVector<Value> constants;
  /// The results that ops outside of the group use, and the sizes of their dynamic dims.
  SmallVector<Value> results;
  SmallVector<Value> resultSizes;

  int64_t find(Value value) const { return llvm::find(parameters, value) - parameters.begin(); }
};
} // namespace

static Value toValue(OpBuilder &builder, Location loc, OpFoldResult size) {
  if (auto value = dyn_cast<Value>(size))
    return value;
  return arith::ConstantIndexOp::create(builder, loc,
                                        cast<IntegerAttr>(cast<Attribute>(size)).getInt());
}

static SmallVector<Value> getDynamicSizes(OpBuilder &builder, Value tensor) {
  SmallVector<Value> sizes;
  auto type = cast<RankedTensorType>(tensor.getType());
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(
          toValue(builder, tensor.getLoc(), getSize(builder, tensor.getLoc(), tensor, dim)));
  return sizes;
}

static bool isScalarConstant(Value value) {
  return !isa<TensorType>(value.getType()) && matchPattern(value, m_Constant());
}

/// Computes the interface of the kernel of `group`. `builder` inserts before the group's first op.
static Interface computeInterface(OpBuilder &builder, ArrayRef<Operation *> group) {
  Interface interface;
  SmallPtrSet<Operation *, 4> members(group.begin(), group.end());
  llvm::SetVector<Value> captures, indexes, scalars;
  for (Operation *op : group)
    collectCaptures(op, captures);
  for (Value value : captures) {
    if (Operation *def = value.getDefiningOp(); def && members.contains(def))
      continue;
    if (isa<TensorType>(value.getType()))
      interface.parameters.push_back(value);
    else if (isScalarConstant(value))
      interface.constants.push_back(value);
    else
      (value.getType().isIndex() ? indexes : scalars).insert(value);
  }
  unsigned numTensors = interface.parameters.size();
  SmallVector<SmallVector<Value>> dynamicSizes;
  for (unsigned i = 0; i < numTensors; ++i) {
    dynamicSizes.push_back(getDynamicSizes(builder, interface.parameters[i]));
    indexes.insert_range(dynamicSizes.back());
  }
  llvm::append_range(interface.parameters, indexes);
  llvm::append_range(interface.parameters, scalars);
  for (unsigned i = 0; i < numTensors; ++i) {
    auto type = cast<RankedTensorType>(interface.parameters[i].getType());
    unsigned next = 0;
    SmallVector<int64_t> &sizes = interface.sizes.emplace_back();
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      sizes.push_back(type.isDynamicDim(dim) ? interface.find(dynamicSizes[i][next++]) : -1);
  }
  auto isOutside = [&](Operation *user) {
    return llvm::none_of(group, [&](Operation *member) { return member->isAncestor(user); });
  };
  for (Operation *op : group) {
    if (llvm::none_of(op->getUsers(), isOutside))
      continue;
    for (Value result : op->getResults()) {
      interface.results.push_back(result);
      llvm::append_range(interface.resultSizes, getDynamicSizes(builder, result));
    }
  }
  return interface;
}

static KernelOp createKernel(OpBuilder &builder, Location loc, StringRef name,
                             const Interface &interface) {
  SmallVector<Attribute> attrs;
  for (auto [index, parameter] : llvm::enumerate(interface.parameters)) {
    auto type = dyn_cast<RankedTensorType>(parameter.getType());
    NamedAttrList list;
    if (type && !type.hasStaticShape())
      list.push_back(KernelOp::makeSizesAttr(builder, interface.sizes[index]));
    attrs.push_back(list.getDictionary(builder.getContext()));
  }
  auto type = builder.getFunctionType(ValueRange(interface.parameters).getTypes(),
                                      ValueRange(interface.results).getTypes());
  bool hasAttrs = llvm::any_of(attrs, [](Attribute a) { return !cast<DictionaryAttr>(a).empty(); });
  auto kernel = KernelOp::create(builder, loc, name, type, StringAttr(),
                                 hasAttrs ? builder.getArrayAttr(attrs) : ArrayAttr(), ArrayAttr());
  Block &body = kernel.getBody().emplaceBlock();
  for (Value parameter : interface.parameters)
    body.addArgument(parameter.getType(), loc);
  return kernel;
}

static Location fuseLocations(MLIRContext *context, ArrayRef<Operation *> group) {
  SmallVector<Location> locations;
  for (Operation *op : group)
    locations.push_back(op->getLoc());
  return FusedLoc::get(context, locations);
}

LaunchOp te::outlineKernel(SymbolTable &symbols, ArrayRef<Operation *> group, StringRef name) {
  OpBuilder builder(group.front());
  Interface interface = computeInterface(builder, group);
  Location loc = fuseLocations(builder.getContext(), group);

  builder.clearInsertionPoint();
  KernelOp kernel = createKernel(builder, loc, name, interface);
  symbols.insert(kernel);
  Block &body = kernel.getBodyBlock();
  builder.setInsertionPoint(group.back());
  auto launch =
      LaunchOp::create(builder, loc, ValueRange(interface.results).getTypes(), kernel.getSymName(),
                       interface.parameters, interface.resultSizes, ValueRange());

  for (Operation *op : group)
    op->moveBefore(&body, body.end());
  builder.setInsertionPointToEnd(&body);
  ReturnOp::create(builder, loc, interface.results);
  auto isInside = [&](OpOperand &use) { return kernel->isAncestor(use.getOwner()); };
  for (auto [result, launched] : llvm::zip_equal(interface.results, launch.getResults()))
    result.replaceUsesWithIf(launched, [&](OpOperand &use) { return !isInside(use); });
  for (auto [parameter, argument] : llvm::zip_equal(interface.parameters, body.getArguments()))
    parameter.replaceUsesWithIf(argument, isInside);
  builder.setInsertionPointToStart(&body);
  for (Value constant : interface.constants) {
    Operation *copy = builder.clone(*constant.getDefiningOp());
    constant.replaceUsesWithIf(copy->getResult(0), isInside);
  }
  return launch;
}
