//===- Propagation.cpp - when a kernel adopts the layout of its operand -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Transforms/Propagation.h"
#include "dialects/layout/Transforms/KernelStores.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

bool layout::walksDimByDim(te::ReadOp read, te::ComputeOp compute) {
  unsigned rank = compute.getNumParallel();
  if (read.getSourceType().getRank() != rank)
    return false;
  for (auto [i, expr] : llvm::enumerate(read.getMap().getResults()))
    for (unsigned dim = 0; dim < rank; ++dim)
      if (dim != i && expr.isFunctionOfDim(dim))
        return false;
  return true;
}

/// Returns whether `compute` has the shape of the tensor that it reads, and reads the element at
/// its own point.
static bool isElementWise(te::ReadOp read, te::ComputeOp compute) {
  auto type = cast<RankedTensorType>(compute.getResult(0).getType());
  if (compute.hasReduction() || read.getGuard() ||
      read.getSourceType().getShape() != type.getShape())
    return false;
  for (auto [dim, expr] : llvm::enumerate(read.getMap().getResults()))
    if (type.getDimSize(dim) != 1 && expr != getAffineDimExpr(dim, expr.getContext()))
      return false;
  return true;
}

StringRef layout::findObstacleToAdoption(te::ReadOp read, te::ComputeOp compute,
                                         const LayoutMap &map) {
  bool isOrder = llvm::all_of(map.getPrimitives(), [](const Primitive &primitive) {
    return primitive.kind == Primitive::Kind::Reorder;
  });
  if (isOrder)
    return walksDimByDim(read, compute) ? "" : "it does not read the tensor dim by dim";
  if (!isElementWise(read, compute))
    return "it is not element-wise over the shape of the tensor";
  FailureOr<TensorLayout> layout = getLayout(map, read.getSourceType(), [](const Twine &) {});
  return succeeded(layout) && layout->isBijective() ? "" : "the layout pads or copies elements";
}
