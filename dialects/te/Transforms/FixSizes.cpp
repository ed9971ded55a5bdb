//===- FixSizes.cpp - a kernel for given sizes ----------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Transforms/FixSizes.h"
#include "dialects/te/IR/Sizes.h"
#include "dialects/te/Transforms/SimplifyBody.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

SmallVector<unsigned> te::getSizeParameters(KernelOp kernel) {
  llvm::BitVector found(kernel.getNumArguments());
  for (unsigned number = 0; number < kernel.getNumArguments(); ++number)
    if (DenseI64ArrayAttr sizes = kernel.getSizesAttr(number))
      for (int64_t size : sizes.asArrayRef())
        if (size >= 0)
          found.set(size);
  for (auto compute : kernel.getBodyBlock().getOps<ComputeOp>())
    for (Value size : compute.getDynamicSizes())
      if (auto parameter = dyn_cast<BlockArgument>(size))
        found.set(parameter.getArgNumber());
  return SmallVector<unsigned>(found.set_bits());
}

/// Returns the static type of a parameter. `values` are those of the parameters.
static RankedTensorType fixType(RankedTensorType type, DenseI64ArrayAttr sizes,
                                ArrayRef<std::optional<int64_t>> values) {
  SmallVector<int64_t> shape(type.getShape());
  for (auto [size, parameter] : llvm::zip_equal(shape, sizes.asArrayRef()))
    if (parameter >= 0)
      size = *values[parameter];
  return type.clone(shape);
}

/// Replaces the parameters that have values by constants, and gives the others static types.
static void fixParameters(KernelOp kernel, ArrayRef<std::optional<int64_t>> values) {
  OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBodyBlock());
  SmallVector<Type> types;
  SmallVector<Attribute> attrs;
  llvm::BitVector gone(kernel.getNumArguments());
  for (auto [number, value] : llvm::enumerate(values)) {
    BlockArgument parameter = kernel.getArgument(number);
    if (value) {
      parameter.replaceAllUsesWith(
          arith::ConstantIndexOp::create(builder, kernel.getLoc(), *value).getResult());
      gone.set(number);
      continue;
    }
    ArrayAttr old = kernel.getArgAttrsAttr();
    NamedAttrList list(old ? cast<DictionaryAttr>(old[number]) : builder.getDictionaryAttr({}));
    if (DenseI64ArrayAttr sizes = kernel.getSizesAttr(number)) {
      parameter.setType(fixType(cast<RankedTensorType>(parameter.getType()), sizes, values));
      list.erase(KernelOp::makeSizesAttr(builder, {}).getName());
    }
    types.push_back(parameter.getType());
    attrs.push_back(list.getDictionary(kernel.getContext()));
  }
  kernel.getBodyBlock().eraseArguments(gone);
  kernel.setFunctionType(builder.getFunctionType(types, kernel.getResultTypes()));
  kernel.setArgAttrsAttr(
      llvm::all_of(attrs, [](Attribute attr) { return cast<DictionaryAttr>(attr).empty(); })
          ? ArrayAttr()
          : builder.getArrayAttr(attrs));
}

/// Makes the sizes of a domain that have become constants static. Returns whether all are.
static bool fixDomain(ComputeOp compute) {
  SmallVector<int64_t> sizes;
  SmallVector<Value> open;
  dispatchSizes(mixSizes(compute.getContext(), compute.getStaticSizes(), compute.getDynamicSizes()),
                sizes, open);
  if (!open.empty())
    return false;
  compute.getDynamicSizesMutable().clear();
  compute.setStaticSizes(sizes);
  for (Value result : compute.getResults())
    result.setType(cast<RankedTensorType>(result.getType())
                       .clone(ArrayRef(sizes).take_front(compute.getNumParallel())));
  return true;
}

OwningOpRef<KernelOp> te::fixSizes(KernelOp kernel, ArrayRef<int64_t> values) {
  OwningOpRef<KernelOp> copy = kernel.clone();
  copy->getSchedule().getBlocks().clear();
  SmallVector<std::optional<int64_t>> ofParameters(kernel.getNumArguments());
  for (auto [parameter, value] : llvm::zip_equal(getSizeParameters(kernel), values))
    ofParameters[parameter] = value;
  fixParameters(*copy, ofParameters);
  SmallVector<ComputeOp> computes;
  for (Operation &op : copy->getBodyBlock()) {
    auto compute = dyn_cast<ComputeOp>(op);
    if (isa<ExpressionOpInterface>(op) && (!compute || !fixDomain(compute)))
      return {};
    if (compute)
      computes.push_back(compute);
  }
  IRRewriter rewriter(copy->getContext());
  SimplifyCounts counts;
  for (ComputeOp compute : computes)
    simplifyBodies(rewriter, compute, counts);
  Operation *end = copy->getBodyBlock().getTerminator();
  copy->setFunctionType(rewriter.getFunctionType(copy->getArgumentTypes(), end->getOperandTypes()));
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(copy->getBodyBlock())))
    if (isa<arith::ConstantOp>(op) && op.use_empty())
      op.erase();
  return copy;
}
