//===- WriteLoops.cpp - writes the loops of a point -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Template/WriteLoops.h"
#include "dialects/layout/Analysis/CodeRules.h"
#include "dialects/layout/IR/LayoutOps.h"
#include "dialects/layout/Template/DotProduct.h"
#include "dialects/te/Analysis/OpCost.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

namespace {
class LoopWriter {
public:
  LoopWriter(OpBuilder &builder, te::ComputeOp op, const Point &point)
      : builder(builder), op(op), point(point), loc(op.getLoc()) {}

  SmallVector<Value> write(ArrayRef<unsigned> rows, bool bind) {
    SmallVector<Type> types(op.getNumDims(), loopType());
    auto named = LoopsOp::create(builder, loc, types, *op.getLabel());
    loops.assign(named.getLoops().begin(), named.getLoops().end());
    if (point.vectorDim)
      fuseInto(*point.vectorDim, point.fused);
    splitUnrolled();
    splitRows();
    splitVector();
    reorder(rows);
    annotate(rows, bind);
    return std::move(loops);
  }

private:
  Type loopType() { return LoopType::get(builder.getContext()); }

  /// Fuses the `count` dims before `dim` with `dim`.
  void fuseInto(unsigned dim, unsigned count) {
    for (unsigned other = dim; other-- > dim - count;) {
      loops[dim] = FuseOp::create(builder, loc, loopType(), loops[other], loops[dim]);
      loops[other] = Value();
    }
  }

  SmallVector<Value> split(Value loop, ArrayRef<int64_t> factors) {
    SmallVector<Type> types(factors.size() + 1, loopType());
    auto splitOp = SplitOp::create(builder, loc, types, loop, factors);
    return SmallVector<Value>(splitOp.getLoops());
  }

  void splitUnrolled() {
    for (const Unroll &unroll : point.unrolled) {
      Value &loop = loops[unroll.dim];
      if (!unroll.extent) {
        tiled.push_back(loop);
        continue;
      }
      SmallVector<Value> parts = split(loop, {unroll.extent});
      loop = parts[0];
      tiled.push_back(parts[1]);
    }
    if (point.dot)
      dot = splitInner(point.dot->dim, point.dot->extent);
  }

  void splitRows() {
    for (auto [dim, extent, fused] : point.rows) {
      fuseInto(dim, fused);
      if (extent > 1)
        tiled.push_back(splitInner(dim, extent));
    }
    for (auto [dim, extent] : point.boxes)
      if (int64_t count = extent / point.getTileExtent(dim); count > 1)
        inBox.push_back(splitInner(dim, count));
  }

  /// Splits the outer loop of `dim`, and returns the inner part.
  Value splitInner(unsigned dim, int64_t extent) {
    SmallVector<Value> parts = split(loops[dim], {extent});
    loops[dim] = parts[0];
    return parts[1];
  }

  void splitVector() {
    if (!point.vectorDim)
      return;
    Value &loop = loops[*point.vectorDim];
    SmallVector<int64_t> factors;
    if (point.vectors > 1)
      factors.push_back(point.vectors);
    factors.push_back(point.lanes);
    SmallVector<Value> parts = split(loop, factors);
    loop = parts[0];
    if (point.vectors > 1)
      tiled.push_back(parts[1]);
    lanes = parts.back();
  }

  void reorder(ArrayRef<unsigned> rows) {
    for (unsigned dim : rows)
      outer.push_back(loops[dim]);
    outer.append(inBox);
    for (unsigned dim : point.outer)
      if (loops[dim] && !llvm::is_contained(rows, dim)) {
        outer.push_back(loops[dim]);
        trips.push_back(countTrips(dim));
      }
    SmallVector<Value> order(outer);
    for (unsigned dim : point.reductions)
      if (const Unroll *unroll = point.findUnroll(dim); !unroll || unroll->extent)
        order.push_back(loops[dim]);
    order.append(tiled);
    if (lanes)
      order.push_back(lanes);
    if (dot)
      order.push_back(dot);
    ReorderOp::create(builder, loc, order);
  }

  /// Returns the number of tiles along `dim` and the dims that are fused with it, nothing if only a
  /// run knows it.
  std::optional<int64_t> countTrips(unsigned dim) {
    int64_t tile = 1, fused = 0, extent = 1;
    if (dim == point.vectorDim) {
      tile = point.vectors * point.lanes;
      fused = point.fused;
    }
    for (const TileRows &tileRows : point.rows)
      if (tileRows.dim == dim) {
        tile = tileRows.extent;
        fused = tileRows.fused;
      }
    for (unsigned other = dim - fused; other <= dim; ++other) {
      int64_t size = op.getStaticSizes()[other];
      if (ShapedType::isDynamic(size) || llvm::MulOverflow(extent, size, extent))
        return std::nullopt;
    }
    return llvm::divideCeil(extent, tile);
  }

  /// Returns how many of the outer loops of elements are parallel. The number of an iteration is
  /// divided by the trips of each parallel loop, which may take longer than a tile of elements. So
  /// inner loops are serial, as long as an iteration has much less work than a thread should have.
  size_t countParallel() {
    constexpr double mostWork = leastWorkOfThread / 32, ofAccesses = 2;
    if (op.hasReduction() || op.getPieces().size() != 1 || !inBox.empty() ||
        llvm::is_contained(trips, std::nullopt))
      return outer.size();
    te::OpCost cost = te::getCost(op.getPieces().front());
    double work = point.countAccumulators() * (ofAccesses + (lanes ? cost.vector : cost.scalar));
    size_t count = outer.size();
    while (count > 0 && work * *trips[count - 1] <= mostWork)
      work *= *trips[--count];
    return count > 0 ? count : outer.size(); // so little work is not worth it
  }

  void annotate(ArrayRef<unsigned> rows, bool bind) {
    if (!tiled.empty())
      RegisterTileOp::create(builder, loc, tiled);
    if (lanes)
      VectorizeOp::create(builder, loc, lanes);
    if (dot)
      AtomOp::create(builder, loc, dot, findDotInstruction(op, point)->name);
    ArrayRef<Value> bound =
        ArrayRef(outer).take_front(rows.empty() ? countParallel() : rows.size());
    if (!bound.empty() && bind)
      BindOp::create(builder, loc, bound, Level::Parallel);
  }

  OpBuilder &builder;
  te::ComputeOp op;
  const Point &point;
  Location loc;
  SmallVector<Value> loops; ///< the outermost loop of each dim; null once it is fused
  SmallVector<Value> outer, inBox, tiled;
  SmallVector<std::optional<int64_t>> trips; ///< of the loops of `outer` that are of no rows
  Value lanes, dot;
};
} // namespace

SmallVector<Value> layout::writeLoops(OpBuilder &builder, te::ComputeOp op, const Point &point,
                                      ArrayRef<unsigned> rows, bool bind) {
  return LoopWriter(builder, op, point).write(rows, bind);
}
