//===- SliceUpdate.cpp - updates that write a slice of their base ---------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order of the points does not matter. Iterations first run over the points of the slice. Then
// they run over the elements of the base and copy those outside of the slice, unless base and
// result are the same memory.
//
//===----------------------------------------------------------------------===//

#include "SliceUpdate.h"
#include "BoxLowering.h"
#include "KernelFunction.h"
#include "PieceSchedule.h"
#include "dialects/te/IR/Sizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace ::tssa::conversion;

//===----------------------------------------------------------------------===//
// Recognition
//===----------------------------------------------------------------------===//

namespace tssa::conversion {

std::optional<unsigned> UpdateSlice::getContiguousDim() const {
  if (baseDims.empty() || baseDims.back().stride != 1)
    return std::nullopt;
  return baseDims.back().dim;
}

std::optional<UpdateSlice> matchSlice(te::UpdateOp update) {
  if (update.getNumOpaque() != 0)
    return std::nullopt;
  MLIRContext *context = update.getContext();
  AffineMap map = update.getMap();
  UpdateSlice slice;
  slice.domain.resize(update.getNumDims());
  for (auto [position, expr] : llvm::enumerate(map.getResults())) {
    std::optional<te::StridedIndex> baseDim =
        te::matchStridedIndex(expr, map.getNumDims(), map.getNumSymbols());
    if (!baseDim || (baseDim->dim && slice.domain[*baseDim->dim]))
      return std::nullopt;
    slice.baseDims.push_back(*baseDim);
    if (!baseDim->dim)
      continue;
    AffineExpr distance = getAffineDimExpr(position, context) - baseDim->offset;
    slice.domain[*baseDim->dim] = baseDim->stride > 0 ? distance.floorDiv(baseDim->stride)
                                                      : (-distance).floorDiv(-baseDim->stride);
  }
  for (auto [dim, expr] : llvm::enumerate(slice.domain)) {
    if (expr)
      continue;
    if (update.getStaticSizes()[dim] != 1)
      return std::nullopt;
    expr = getAffineConstantExpr(0, context);
  }
  return slice;
}

} // namespace tssa::conversion

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

namespace {
class SliceLowering {
public:
  SliceLowering(OpBuilder &builder, te::KernelOp kernel, te::UpdateOp update,
                const UpdateSlice &slice, KernelTarget &target)
      : builder(builder), kernel(kernel), update(update), slice(slice), target(target) {}

  LogicalResult lower() {
    builder.setInsertionPoint(kernel);
    function = createKernelFunction(builder, kernel, target);
    IndexBuilder index(builder, update.getLoc());
    FailureOr<Schedule> points = scheduleSlice(index, function.context.values);
    FailureOr<Schedule> elements = scheduleCopy(index, function.context.values);
    if (failed(points) || failed(elements))
      return failure();
    LogicalResult result = failure();
    target.buildIterations(index, function.func, [&](Value number) {
      result = buildIteration(index, *points, *elements, number);
    });
    if (failed(result) || failed(finishKernelFunction(builder, function, target)))
      return failure();
    createExtentFunction(builder, kernel, [&](IndexBuilder &extentIndex, const IRMapping &values) {
      return buildExtent(extentIndex, values);
    });
    return success();
  }

private:
  SmallVector<AffineExpr> getDomain(IndexBuilder &index, const IRMapping &values) {
    return getSizeExprs(index, update.getIterationDomain(), values);
  }

  FailureOr<Schedule> scheduleSlice(IndexBuilder &index, const IRMapping &values) {
    PointBox box{getDomain(index, values), slice.getContiguousDim(), /*spread=*/true};
    return scheduleBox(box, target, update);
  }

  FailureOr<Schedule> scheduleCopy(IndexBuilder &index, const IRMapping &values) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(update);
    PointBox box;
    box.extents =
        getSizeExprs(index, te::getSizes(builder, update.getLoc(), update.getBase()), values);
    if (!box.extents.empty())
      box.vectorDim = box.extents.size() - 1;
    box.spread = target.getThreads(); // on CPUs one thread copies
    return scheduleBox(box, target, update);
  }

  LogicalResult buildIteration(IndexBuilder &index, const Schedule &points,
                               const Schedule &elements, Value number) {
    Location loc = update.getLoc();
    Value count = index.materialize(getParallelCount(points, index.getContext()));
    Value mine = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, number, count);
    auto branch = scf::IfOp::create(builder, loc, mine, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    if (failed(buildBox(
            index, function.context, points, number,
            [&](BodyEvaluator &body, const TilePoint &point) { buildPoint(index, body, point); })))
      return failure();
    builder.setInsertionPointToStart(branch.elseBlock());
    const TensorBuffer &base = getBase();
    auto copy = scf::IfOp::create(builder, loc, buildAreDistinct(index, base, function.outs[0]),
                                  /*withElseRegion=*/false);
    builder.setInsertionPointToStart(copy.thenBlock());
    Value rest = arith::SubIOp::create(builder, loc, number, count);
    return buildBox(
        index, function.context, elements, rest,
        [&](BodyEvaluator &body, const TilePoint &point) { buildCopy(index, body, point); });
  }

  const TensorBuffer &getBase() { return function.context.buffers.find(update.getBase())->second; }

  /// Builds code that runs only where `condition`, an i1 or a lane mask, holds. `build` builds this
  /// code. A null condition always holds.
  void buildWhere(IndexBuilder &index, BodyEvaluator &body, const TilePoint &point, Value condition,
                  function_ref<void(BodyEvaluator &)> build) {
    if (!condition)
      return build(body);
    Location loc = update.getLoc();
    TilePoint masked = point;
    if (isa<VectorType>(condition.getType())) {
      masked.mask = body.andMasks(condition, point.mask);
      condition = vector::ReductionOp::create(builder, loc, vector::CombiningKind::OR, masked.mask);
    }
    auto branch = scf::IfOp::create(builder, loc, condition, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    BodyEvaluator::Loads loads;
    BodyEvaluator inner(index, function.context, masked, body.getLaneDim(), body.getLanes(), loads);
    build(inner);
  }

  void buildPoint(IndexBuilder &index, BodyEvaluator &body, const TilePoint &point) {
    Condition guard;
    if (update.getGuard())
      guard = body.getCondition(*update.getGuard(), update.getSymbols());
    if (guard.never)
      return;
    buildWhere(index, body, point, body.materialize(guard), [&](BodyEvaluator &inner) {
      Block &block = update.getBody().front();
      inner.run(block);
      Value value = inner.getYielded(block)[0];
      SmallVector<AffineExpr> position;
      for (AffineExpr expr : update.getMap().getResults())
        position.push_back(inner.substitute(expr, update.getSymbols()));
      const TensorBuffer &out = function.outs[0];
      AffineExpr address = inner.getAddress(out, position);
      if (update.hasCombiner()) {
        Block &combiner = update.getCombiner().front();
        // No other point writes this element, so the base still has its old value, even if the
        // update is in place.
        inner.map(combiner.getArgument(0), inner.load(getBase(), address));
        inner.map(combiner.getArgument(1), value);
        inner.run(combiner);
        value = inner.getYielded(combiner)[0];
      }
      inner.store(out, address, value);
    });
  }

  /// Copies the element at `point` from the base unless a point of the slice writes it.
  void buildCopy(IndexBuilder &index, BodyEvaluator &body, const TilePoint &point) {
    Condition slice = getInside(index, body);
    if (slice.isAlways())
      return; // the slice is the whole base
    Value outside;
    if (!slice.never) {
      Value inside = body.materialize(slice);
      Value all = arith::ConstantOp::create(builder, update.getLoc(),
                                            cast<TypedAttr>(builder.getOneAttr(inside.getType())));
      outside = arith::XOrIOp::create(builder, update.getLoc(), inside, all);
    }
    buildWhere(index, body, point, outside, [&](BodyEvaluator &inner) {
      AffineExpr address = inner.getAddress(function.outs[0], point.dims);
      inner.store(function.outs[0], address, inner.load(getBase(), address));
    });
  }

  /// Returns the condition that a point of the slice writes this element of the base.
  Condition getInside(IndexBuilder &index, BodyEvaluator &body) {
    Condition inside;
    SmallVector<AffineExpr> domain = getDomain(index, function.context.values);
    AffineExpr zero = getAffineConstantExpr(0, index.getContext());
    for (auto [position, baseDim] : llvm::enumerate(slice.baseDims)) {
      AffineExpr own = getAffineDimExpr(position, index.getContext());
      AffineExpr distance = body.substitute(own - baseDim.offset, update.getSymbols());
      if (!baseDim.dim) {
        body.addConstraint(distance, /*equality=*/true, inside);
        continue;
      }
      int64_t stride = std::abs(baseDim.stride);
      if (baseDim.stride < 0)
        distance = zero - distance;
      body.addConstraint(distance, /*equality=*/false, inside);
      body.addConstraint((domain[*baseDim.dim] - 1) * stride - distance, /*equality=*/false,
                         inside);
      if (stride != 1)
        body.addConstraint(distance % stride, /*equality=*/true, inside);
    }
    if (!update.getGuard() || inside.never)
      return inside;
    IntegerSet guard = *update.getGuard();
    for (unsigned i = 0; i < guard.getNumConstraints(); ++i)
      body.addConstraint(
          body.substitute(guard.getConstraint(i).replaceDims(slice.domain), update.getSymbols()),
          guard.isEq(i), inside);
    return inside;
  }

  std::pair<Value, Value> buildExtent(IndexBuilder &index, const IRMapping &values) {
    FailureOr<Schedule> points = scheduleSlice(index, values);
    FailureOr<Schedule> elements = scheduleCopy(index, values);
    MLIRContext *context = index.getContext();
    AffineExpr count = getParallelCount(*points, context) + getParallelCount(*elements, context);
    Value n = index.materialize(index.simplify(count));
    Block &body = update.getBody().front();
    AffineExpr work = getProduct(getDomain(index, values), context) *
                      static_cast<int64_t>(std::distance(body.begin(), body.end()));
    return {n, target.buildGrain(index, n, work)};
  }

  OpBuilder &builder;
  te::KernelOp kernel;
  te::UpdateOp update;
  const UpdateSlice &slice;
  KernelTarget &target;
  KernelFunction function;
};
} // namespace

namespace tssa::conversion {

LogicalResult lowerSliceKernel(OpBuilder &builder, te::KernelOp kernel, te::UpdateOp update,
                               const UpdateSlice &slice, KernelTarget &target) {
  return SliceLowering(builder, kernel, update, slice, target).lower();
}

} // namespace tssa::conversion
