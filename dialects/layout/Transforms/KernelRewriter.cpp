//===- KernelRewriter.cpp - kernels with other orders of dims -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Transforms/KernelRewriter.h"
#include "dialects/te/IR/Sizes.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

bool layout::isIdentity(ArrayRef<int64_t> order) {
  for (auto [i, dim] : llvm::enumerate(order))
    if (dim != static_cast<int64_t>(i))
      return false;
  return true;
}

RankedTensorType layout::reorderType(RankedTensorType type, ArrayRef<int64_t> order) {
  SmallVector<int64_t> shape;
  for (int64_t dim : order)
    shape.push_back(type.getDimSize(dim));
  return RankedTensorType::get(shape, type.getElementType());
}

static void setParameterTypes(te::KernelOp kernel) {
  SmallVector<Type> results;
  for (Value value : kernel.getBodyBlock().back().getOperands())
    results.push_back(value.getType());
  kernel.setFunctionType(
      FunctionType::get(kernel.getContext(), kernel.getBody().getArgumentTypes(), results));
}

/// Applies `index` to the index expressions of all reads of `tensor`.
static void rewriteReads(Value tensor, IndexFn index) {
  for (Operation *user : tensor.getUsers()) {
    auto read = dyn_cast<te::ReadOp>(user);
    if (!read)
      continue;
    AffineMap map = read.getMap();
    read.setMap(AffineMap::get(map.getNumDims(), map.getNumSymbols(), index(map.getResults()),
                               map.getContext()));
  }
}

static SmallVector<AffineExpr> reorderExprs(ArrayRef<AffineExpr> exprs, ArrayRef<int64_t> order) {
  SmallVector<AffineExpr> reordered;
  for (int64_t dim : order)
    reordered.push_back(exprs[dim]);
  return reordered;
}

void layout::rewriteParameter(te::KernelOp kernel, unsigned arg, RankedTensorType type,
                              IndexFn index, ArrayRef<int64_t> order) {
  if (DenseI64ArrayAttr sizes = kernel.getSizesAttr(arg)) {
    SmallVector<int64_t> reordered;
    for (int64_t dim : order)
      reordered.push_back(sizes[dim]);
    kernel.setSizes(arg, reordered);
  }
  rewriteReads(kernel.getArgument(arg), index);
  kernel.getArgument(arg).setType(type);
  setParameterTypes(kernel);
}

void layout::reorderParameter(te::KernelOp kernel, unsigned arg, ArrayRef<int64_t> order) {
  auto type = cast<RankedTensorType>(kernel.getArgument(arg).getType());
  rewriteParameter(
      kernel, arg, reorderType(type, order),
      [&](ArrayRef<AffineExpr> exprs) { return reorderExprs(exprs, order); }, order);
}

/// Replaces the dims of each point op in `region` by the expressions `dims`.
static void replaceDims(Region &region, ArrayRef<AffineExpr> dims) {
  auto replaceMap = [&](AffineMap map) {
    SmallVector<AffineExpr> exprs;
    for (AffineExpr expr : map.getResults())
      exprs.push_back(expr.replaceDims(dims));
    return AffineMap::get(map.getNumDims(), map.getNumSymbols(), exprs, map.getContext());
  };
  auto replaceSet = [&](IntegerSet set) {
    SmallVector<AffineExpr> exprs;
    for (AffineExpr expr : set.getConstraints())
      exprs.push_back(expr.replaceDims(dims));
    return IntegerSet::get(set.getNumDims(), set.getNumSymbols(), exprs, set.getEqFlags());
  };
  region.walk([&](Operation *op) {
    if (auto read = dyn_cast<te::ReadOp>(op)) {
      read.setMap(replaceMap(read.getMap()));
      if (read.getGuard())
        read.setGuard(replaceSet(*read.getGuard()));
    } else if (auto index = dyn_cast<te::IndexOp>(op)) {
      index.setMap(replaceMap(index.getMap()));
    } else if (auto inside = dyn_cast<te::InsideOp>(op)) {
      inside.setSet(replaceSet(inside.getSet()));
    }
  });
}

void layout::reorderResults(te::KernelOp kernel, te::ComputeOp compute, ArrayRef<int64_t> order) {
  MLIRContext *context = kernel.getContext();
  unsigned numParallel = compute.getNumParallel();
  SmallVector<AffineExpr> dims;
  for (unsigned dim = 0; dim < compute.getNumDims(); ++dim)
    dims.push_back(getAffineDimExpr(dim, context));
  for (auto [position, dim] : llvm::enumerate(order))
    dims[dim] = getAffineDimExpr(position, context);

  for (Region &piece : compute.getPieces())
    replaceDims(piece, dims);
  replaceDims(compute.getEpilogue(), dims);
  if (ArrayAttr where = compute.getWhereAttr()) {
    SmallVector<Attribute> sets;
    for (Attribute attr : where) {
      IntegerSet set = cast<IntegerSetAttr>(attr).getValue();
      SmallVector<AffineExpr> exprs;
      for (AffineExpr expr : set.getConstraints())
        exprs.push_back(expr.replaceDims(dims));
      sets.push_back(IntegerSetAttr::get(
          IntegerSet::get(set.getNumDims(), set.getNumSymbols(), exprs, set.getEqFlags())));
    }
    compute.setWhereAttr(ArrayAttr::get(context, sets));
  }

  SmallVector<OpFoldResult> sizes = compute.getIterationDomain(), reordered(sizes);
  for (unsigned position = 0; position < numParallel; ++position)
    reordered[position] = sizes[order[position]];
  SmallVector<int64_t> staticSizes;
  SmallVector<Value> dynamicSizes;
  te::dispatchSizes(reordered, staticSizes, dynamicSizes);
  compute.setStaticSizes(staticSizes);
  compute.getDynamicSizesMutable().assign(dynamicSizes);
  for (Value result : compute.getResults()) {
    rewriteReads(result, [&](ArrayRef<AffineExpr> exprs) { return reorderExprs(exprs, order); });
    result.setType(reorderType(cast<RankedTensorType>(result.getType()), order));
  }
  setParameterTypes(kernel);
}
