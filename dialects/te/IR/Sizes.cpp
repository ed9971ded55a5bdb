//===- Sizes.cpp - sizes of tensors as constants or values -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/IR/Sizes.h"
#include "dialects/te/IR/Program.h"
#include "dialects/te/IR/TEOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::tssa;

std::optional<int64_t> te::getConstantSize(OpFoldResult size) { return getConstantIntValue(size); }

void te::dispatchSizes(ArrayRef<OpFoldResult> sizes, SmallVectorImpl<int64_t> &staticSizes,
                       SmallVectorImpl<Value> &dynamicSizes) {
  for (OpFoldResult size : sizes) {
    if (std::optional<int64_t> constant = getConstantIntValue(size)) {
      staticSizes.push_back(*constant);
      continue;
    }
    staticSizes.push_back(ShapedType::kDynamic);
    dynamicSizes.push_back(cast<Value>(size));
  }
}

SmallVector<OpFoldResult> te::mixSizes(MLIRContext *context, ArrayRef<int64_t> staticSizes,
                                       ValueRange dynamicSizes) {
  SmallVector<OpFoldResult> sizes;
  Builder builder(context);
  unsigned next = 0;
  for (int64_t size : staticSizes) {
    if (ShapedType::isDynamic(size))
      sizes.push_back(dynamicSizes[next++]);
    else
      sizes.push_back(builder.getIndexAttr(size));
  }
  return sizes;
}

/// Returns the position of dynamic dim `dim` of result `result` among the dynamic dims of all
/// results.
static unsigned dynamicDimPosition(TypeRange results, unsigned result, unsigned dim) {
  unsigned position = 0;
  for (auto [index, type] : llvm::enumerate(results)) {
    auto shaped = cast<ShapedType>(type);
    for (int64_t d = 0; d < shaped.getRank(); ++d) {
      if (index == result && d == dim)
        return position;
      position += shaped.isDynamicDim(d);
    }
  }
  llvm_unreachable("no such dim");
}

/// If the op of `result` has the size of dim `dim` as an operand or a constant, returns this size;
/// otherwise null.
static OpFoldResult getSizeFromOp(OpResult result, unsigned dim) {
  Operation *op = result.getOwner();
  if (auto expression = dyn_cast<te::ExpressionOpInterface>(op))
    return expression.findResultSize(dim);
  if (auto launch = dyn_cast<te::LaunchOp>(op))
    return launch
        .getResultSizes()[dynamicDimPosition(op->getResultTypes(), result.getResultNumber(), dim)];
  if (auto call = dyn_cast<te::ExternOp>(op)) {
    int64_t index = call.getSizeIndex()[dynamicDimPosition(op->getResultTypes(),
                                                           result.getResultNumber(), dim)];
    return index < 0 ? OpFoldResult() : OpFoldResult(call.getResultSizes()[index]);
  }
  if (auto join = dyn_cast<te::JoinOp>(op)) // the size of the axis is a constant
    return te::findSize(join.getParts().front(), dim);
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return empty.getMixedSizes()[dim];
  return {};
}

/// Returns the first `tensor.dim` of this dim in the block that defines `tensor`, or null.
static Value findDim(Value tensor, unsigned dim) {
  tensor::DimOp first;
  for (Operation *user : tensor.getUsers()) {
    auto dimOp = dyn_cast<tensor::DimOp>(user);
    if (dimOp && dimOp.getConstantIndex() == static_cast<int64_t>(dim) &&
        dimOp->getBlock() == tensor.getParentBlock() && (!first || dimOp->isBeforeInBlock(first)))
      first = dimOp;
  }
  return first ? first.getResult() : Value();
}

/// Looks for a dim of another argument that has the same name as dim `dim` of `argument`, and
/// returns an existing `tensor.dim` of it, or null. A check at entry ensures that dims with the
/// same name have equal sizes.
static Value findNamedDim(BlockArgument argument, unsigned dim) {
  auto function = dyn_cast_or_null<FunctionOpInterface>(argument.getOwner()->getParentOp());
  if (!function || !argument.getOwner()->isEntryBlock())
    return {};
  auto getName = [&](unsigned arg, unsigned d) -> StringAttr {
    te::PortAttr port = te::getArgumentPort(function, arg);
    return port ? dyn_cast_or_null<StringAttr>(port.getDim(d)) : StringAttr();
  };
  StringAttr name = getName(argument.getArgNumber(), dim);
  if (!name)
    return {};
  for (BlockArgument other : argument.getOwner()->getArguments()) {
    auto type = dyn_cast<RankedTensorType>(other.getType());
    for (int64_t d = 0; type && d < type.getRank(); ++d)
      if (getName(other.getArgNumber(), d) == name)
        if (Value size = findDim(other, d))
          return size;
  }
  return {};
}

/// Returns the size of what `loop` carries as argument `carried`, if no iteration changes it: the
/// loop passes on the argument with some elements overwritten, or an expression of this size. What
/// it passes on is not known while its body is built.
static OpFoldResult findCarriedSize(scf::ForOp loop, unsigned carried, unsigned dim) {
  if (!loop.getBody()->mightHaveTerminator())
    return {};
  OpFoldResult size = te::findSize(loop.getInitArgs()[carried], dim);
  Value next = loop.getYieldedValues()[carried];
  while (auto update = next.getDefiningOp<te::UpdateOp>())
    next = update.getBase();
  if (!size || next == loop.getRegionIterArg(carried))
    return size;
  bool hasSizes = isa_and_nonnull<te::ComputeOp, te::LaunchOp>(next.getDefiningOp());
  return hasSizes && getSizeFromOp(cast<OpResult>(next), dim) == size ? size : OpFoldResult();
}

OpFoldResult te::findSize(Value tensor, unsigned dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return Builder(tensor.getContext()).getIndexAttr(type.getDimSize(dim));
  if (auto result = dyn_cast<OpResult>(tensor))
    if (OpFoldResult size = getSizeFromOp(result, dim))
      return size;
  if (auto arg = dyn_cast<BlockArgument>(tensor))
    if (auto kernel = dyn_cast_or_null<KernelOp>(arg.getOwner()->getParentOp()))
      return kernel.getArgumentSize(arg.getArgNumber(), dim);
  if (Value size = findDim(tensor, dim))
    return size;
  if (auto loop = tensor.getDefiningOp<scf::ForOp>())
    return findCarriedSize(loop, cast<OpResult>(tensor).getResultNumber(), dim);
  if (auto arg = dyn_cast<BlockArgument>(tensor))
    if (auto loop = dyn_cast_or_null<scf::ForOp>(arg.getOwner()->getParentOp()))
      return findCarriedSize(loop, arg.getArgNumber() - 1, dim);
  if (auto arg = dyn_cast<BlockArgument>(tensor))
    if (Value size = findNamedDim(arg, dim))
      return size;
  return {};
}

OpFoldResult te::getSize(OpBuilder &builder, Location loc, Value tensor, unsigned dim) {
  if (OpFoldResult size = findSize(tensor, dim))
    return size;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(tensor);
  return tensor::DimOp::create(builder, loc, tensor, dim).getResult();
}

SmallVector<OpFoldResult> te::getSizes(OpBuilder &builder, Location loc, Value tensor) {
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim = 0, rank = cast<RankedTensorType>(tensor.getType()).getRank(); dim < rank;
       ++dim)
    sizes.push_back(getSize(builder, loc, tensor, dim));
  return sizes;
}
