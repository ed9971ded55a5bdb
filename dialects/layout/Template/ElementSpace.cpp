//===- ElementSpace.cpp - the points of element-wise expressions -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The space of an expression without a reduction is the product of these knobs: the vector dim,
// with which earlier dims are fused where all accesses allow it; lanes, fewer than the machine has
// if the dim is short; one, two or four vectors; rows along a dim in which an access is contiguous
// that the lanes stride over, since such a tile is transposed in registers; and the order of the
// outer loops, which is that of the dims, or has one of them innermost. The latter is for
// transposes without such rows: lines that the vectors touch one by one are used again in the next
// iteration.
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Template/ElementSpace.h"
#include "dialects/layout/Template/LoopOrder.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

namespace {
class ElementSpaceBuilder {
public:
  ElementSpaceBuilder(te::ComputeOp op, ArrayRef<Access> accesses, const Roles &roles,
                      const MachineModel &machine, unsigned rowDims, Draft &draft)
      : op(op), accesses(accesses), roles(roles), machine(machine), rowDims(rowDims), draft(draft) {
  }

  SmallVector<Point, 0> build(const Point &scalar) {
    points.push_back(scalar);
    // Several results, or much arithmetic, need the registers of several vectors.
    mostVectors = op.getNumResults() > 1 || isLong() ? 2 : 4;
    for (unsigned dim = rowDims; dim < op.getNumParallel(); ++dim)
      if (getExtent(op, roles, dim) > 1)
        addVectors(scalar, dim);
    return std::move(points);
  }

private:
  void addVectors(Point point, unsigned dim) {
    point.vectorDim = dim;
    point.fused = countFusable(op, accesses, dim, rowDims);
    int64_t extent = draft.getFusedExtent(dim, point.fused);
    for (int64_t lanes = getLanes(op, machine); lanes >= 2; lanes /= 2) {
      point.lanes = lanes;
      SmallVector<int64_t> counts = {1, 2, 4};
      llvm::erase_if(counts, [&](int64_t count) { return count > mostVectors; });
      if (int64_t period = draft.getPeriod(dim, lanes); !llvm::is_contained(counts, period))
        counts.push_back(period);
      for (int64_t vectors : counts) {
        point.vectors = vectors;
        if (vectors > 1 && vectors * lanes >= extent + lanes)
          continue;
        addOrders(point);
        addRows(point);
        if (extent < lanes)
          addLines(point);
      }
      if (extent >= lanes)
        break;
    }
    if (point.fused == 0)
      addRuns(point);
  }

  /// Adds vectors that end where runs of adjacent elements do, such as the lines of a tile of an
  /// image, if they take fewer loads than those of all lanes.
  void addRuns(Point point) {
    unsigned dim = *point.vectorDim;
    auto getLoads = [&](int64_t lanes) {
      return draft.getLaneLoads(dim, lanes) / static_cast<double>(lanes);
    };
    int64_t whole = getLanes(op, machine), best = whole;
    for (int64_t lanes = whole - 1; lanes >= leastLanes; --lanes)
      if (getLoads(lanes) < getLoads(best))
        best = lanes;
    if (best == whole || best >= getExtent(op, roles, dim))
      return;
    point.lanes = best;
    point.vectors = 1;
    addOrders(point);
    addLines(point);
  }

  /// Adds tiles of several lines, each of which is one vector or less.
  void addLines(Point point) {
    unsigned first = *point.vectorDim - point.fused;
    if (first <= rowDims || point.vectors > 1)
      return;
    constexpr int64_t mostLines = 16;
    int64_t extent = getExtent(op, roles, first - 1);
    if (extent == 1)
      return;
    point.rows = {{first - 1, extent <= mostLines ? extent : mostLines / 4, 0}};
    addOrders(point);
  }

  /// Adds tiles that are transposed in registers.
  void addRows(Point point) {
    constexpr int64_t mostSums = 16;
    for (unsigned dim = rowDims; dim < op.getNumParallel(); ++dim) {
      bool isFused = dim >= *point.vectorDim - point.fused && dim <= *point.vectorDim;
      if (isFused || !isTransposed(*point.vectorDim, dim))
        continue;
      for (int64_t rows : {16, 8, 4}) {
        if (rows * point.vectors > mostSums || rows > getExtent(op, roles, dim))
          continue;
        point.rows = {{dim, rows, 0}};
        addOrders(point);
      }
    }
  }

  /// Returns whether an access is contiguous along `rows`, and strided along the vector dim.
  bool isTransposed(unsigned vectorDim, unsigned rows) const {
    return llvm::any_of(accesses, [&](const Access &access) {
      return access.getStrideKind(rows, 2) == StrideKind::Contiguous &&
             access.getStrideKind(vectorDim, 2) == StrideKind::Strided;
    });
  }

  void addOrders(Point point) {
    points.push_back(point);
    if (rowDims > 0)
      return;
    unsigned vectorDim = *point.vectorDim;
    for (unsigned dim = 0; dim + 1 < op.getNumParallel(); ++dim) {
      bool isFused = dim >= vectorDim - point.fused && dim <= vectorDim;
      if (isFused || getExtent(op, roles, dim) == 1 || !isContiguous(dim))
        continue;
      Point moved = point;
      llvm::erase(moved.outer, dim);
      moved.outer.push_back(dim);
      points.push_back(moved);
    }
  }

  /// Returns whether some access is contiguous along `dim`.
  bool isContiguous(unsigned dim) const {
    return llvm::any_of(accesses, [&](const Access &access) {
      return access.getStrideKind(dim, 2) == StrideKind::Contiguous;
    });
  }

  bool isLong() {
    constexpr int64_t many = 30;
    int64_t count = 0;
    op->walk([&](Operation *) { ++count; });
    return count > many;
  }

  te::ComputeOp op;
  ArrayRef<Access> accesses;
  const Roles &roles;
  const MachineModel &machine;
  unsigned rowDims;
  Draft &draft;
  int64_t mostVectors = 1;
  SmallVector<Point, 0> points;
};
} // namespace

SmallVector<Point, 0> layout::getElementPoints(te::ComputeOp op, ArrayRef<Access> accesses,
                                               const Roles &roles, const MachineModel &machine,
                                               unsigned rowDims, const Point &scalar,
                                               Draft &draft) {
  return ElementSpaceBuilder(op, accesses, roles, machine, rowDims, draft).build(scalar);
}
