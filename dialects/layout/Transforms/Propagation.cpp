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

/// Returns the dim of `compute` that index `expr` of `read` walks, of size `size`. An index 0 into
/// a dim of size 1 walks the first such dim that no index walks.
static std::optional<unsigned> findWalkedDim(AffineExpr expr, int64_t size, te::ComputeOp compute,
                                             ArrayRef<int64_t> walked) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dim.getPosition();
  for (auto [dim, own] : llvm::enumerate(compute.getStaticSizes()))
    if (size == 1 && own == 1 && !llvm::is_contained(walked, int64_t(dim)))
      return dim;
  return std::nullopt;
}

LayoutMap layout::dropReducedDims(te::ReadOp read, te::ComputeOp compute, const LayoutMap &map) {
  if (!compute.hasReduction() || compute.getPieces().size() != 1 || !read.getSymbols().empty() ||
      map.getPrimitives().size() != 1 ||
      map.getPrimitives().front().kind != Primitive::Kind::Reorder)
    return {};
  SmallVector<int64_t> order;
  for (int64_t position : map.getPrimitives().front().values) {
    std::optional<unsigned> dim =
        findWalkedDim(read.getMap().getResult(position), read.getSourceType().getDimSize(position),
                      compute, order);
    if (!dim || llvm::is_contained(order, int64_t(*dim)))
      return {};
    if (*dim < compute.getNumParallel())
      order.push_back(*dim);
  }
  if (order.size() != compute.getNumParallel() || llvm::is_sorted(order))
    return {};
  return *LayoutMap::get(Primitive::reorder(order), [](const Twine &) {});
}

LayoutMap layout::undoPermutation(te::ReadOp read, te::ComputeOp compute) {
  unsigned rank = compute.getNumParallel();
  if (compute.hasReduction() || compute.getPieces().size() != 1 || read.getGuard() ||
      !read.getSymbols().empty() || read.getSourceType().getRank() != rank)
    return {};
  SmallVector<int64_t> order;
  for (auto [expr, size] :
       llvm::zip_equal(read.getMap().getResults(), read.getSourceType().getShape())) {
    std::optional<unsigned> dim = findWalkedDim(expr, size, compute, order);
    if (!dim || llvm::is_contained(order, int64_t(*dim)) || compute.getStaticSizes()[*dim] != size)
      return {};
    order.push_back(*dim);
  }
  if (llvm::is_sorted(order))
    return {};
  return *LayoutMap::get(Primitive::reorder(order), [](const Twine &) {});
}
