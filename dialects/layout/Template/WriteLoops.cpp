//===- WriteLoops.cpp - writes the loops of a point -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Template/WriteLoops.h"
#include "dialects/layout/IR/LayoutOps.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

namespace {
class LoopWriter {
public:
  LoopWriter(OpBuilder &builder, te::ComputeOp op, const Point &point)
      : builder(builder), op(op), point(point), loc(op.getLoc()) {}

  SmallVector<Value> write(unsigned rowDims, bool bind) {
    SmallVector<Type> types(op.getNumDims(), loopType());
    auto named = LoopsOp::create(builder, loc, types, *op.getLabel());
    loops.assign(named.getLoops().begin(), named.getLoops().end());
    if (point.vectorDim)
      fuseInto(*point.vectorDim, point.fused);
    splitUnrolled();
    splitRows();
    splitVector();
    reorder(rowDims);
    annotate(rowDims, bind);
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
  }

  void splitRows() {
    for (auto [dim, extent, fused] : point.rows) {
      fuseInto(dim, fused);
      if (extent <= 1)
        continue;
      SmallVector<Value> parts = split(loops[dim], {extent});
      loops[dim] = parts[0];
      tiled.push_back(parts[1]);
    }
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

  void reorder(unsigned rowDims) {
    for (unsigned dim : orderRows(point, rowDims))
      if (loops[dim])
        outer.push_back(loops[dim]);
    for (unsigned dim : point.outer)
      if (loops[dim] && dim >= rowDims)
        outer.push_back(loops[dim]);
    SmallVector<Value> order(outer);
    for (unsigned dim : point.reductions)
      if (const Unroll *unroll = point.findUnroll(dim); !unroll || unroll->extent)
        order.push_back(loops[dim]);
    order.append(tiled);
    if (lanes)
      order.push_back(lanes);
    ReorderOp::create(builder, loc, order);
  }

  void annotate(unsigned rowDims, bool bind) {
    if (!tiled.empty())
      RegisterTileOp::create(builder, loc, tiled);
    if (lanes)
      VectorizeOp::create(builder, loc, lanes);
    ArrayRef<Value> bound = rowDims ? ArrayRef(loops).take_front(rowDims) : ArrayRef(outer);
    if (!bound.empty() && bind)
      BindOp::create(builder, loc, bound, Level::Parallel);
  }

  OpBuilder &builder;
  te::ComputeOp op;
  const Point &point;
  Location loc;
  SmallVector<Value> loops; ///< the outermost loop of each dim; null once it is fused
  SmallVector<Value> outer, tiled;
  Value lanes;
};
} // namespace

SmallVector<unsigned> layout::orderRows(const Point &point, unsigned rowDims) {
  SmallVector<unsigned> order;
  for (bool isTiled : {false, true})
    for (unsigned dim : point.outer)
      if (dim < rowDims && (point.getTileExtent(dim) != 1) == isTiled)
        order.push_back(dim);
  return order;
}

SmallVector<Value> layout::writeLoops(OpBuilder &builder, te::ComputeOp op, const Point &point,
                                      unsigned rowDims, bool bind) {
  return LoopWriter(builder, op, point).write(rowDims, bind);
}
