//===- ScanLowering.cpp - kernels of te.scan as loops -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lines of a scan are independent, and the steps of a line wait for each other. So the lanes of
// a vector are lines, where there are enough. If the lines are contiguous in memory, several steps
// are loaded and stored together, as blocks that the target may transpose.
//
//===----------------------------------------------------------------------===//

#include "BoxLowering.h"
#include "KernelFunction.h"
#include "PieceSchedule.h"
#include "dialects/te/IR/Sizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace ::tssa::conversion;

/// The least number of lines that are worth a vector.
static constexpr int64_t leastLines = 8;
/// The number of steps that are loaded and stored together.
static constexpr int64_t blockSteps = 16;

namespace {
/// Builds one line of a scan, or a vector of lines, through a point.
class LineBuilder {
public:
  LineBuilder(IndexBuilder &index, KernelFunction &function, te::ScanOp scan, BodyEvaluator &body,
              const TilePoint &point)
      : index(index), builder(index.getBuilder()), target(*function.context.target), scan(scan),
        source(function.context.buffers.find(scan.getSource())->second), out(function.outs[0]),
        body(body), point(point), length(index.getSize(source.sizes[scan.getAxis()])) {}

  void build() {
    Value value = arith::ConstantOp::create(builder, scan.getLoc(), scan.getInitAttr());
    if (point.vector)
      value = body.toLanes(value);
    AffineExpr zero = getAffineConstantExpr(0, index.getContext());
    if (!isTransposed()) {
      buildLoop(zero, length, 1, value);
      return;
    }
    AffineExpr whole = index.simplify(length.floorDiv(blockSteps) * blockSteps);
    value = buildLoop(zero, whole, blockSteps, value);
    if (index.simplify(length - whole) != zero)
      buildLoop(whole, length, 1, value);
  }

private:
  AffineExpr getAddress(const TensorBuffer &buffer, AffineExpr step) {
    SmallVector<AffineExpr> position = point.dims;
    position[scan.getAxis()] = scan.getReverse() ? length - 1 - step : step;
    return body.getAddress(buffer, position);
  }

  LaneLoad getLoad(AffineExpr step) {
    auto type = VectorType::get(body.getLanes(), getMemoryType(source.elementType));
    return {{source.memref, getAddress(source, step), body.getLaneDim(), type}, point.mask};
  }

  /// Whether the target may transpose what several steps load.
  bool isTransposed() {
    if (!point.vector)
      return false;
    LaneLoad load = getLoad(getAffineConstantExpr(0, index.getContext()));
    return target.isBuiltWithOthers(index, load.access, load.mask);
  }

  /// Builds a loop over the steps from `begin` to `end`, with `count` of them in an iteration.
  /// Returns the combination of `value` and all of these steps.
  Value buildLoop(AffineExpr begin, AffineExpr end, int64_t count, Value value) {
    auto loop = scf::ForOp::create(builder, scan.getLoc(), index.materialize(begin),
                                   index.materialize(end), index.constant(count), value);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(loop.getBody());
    AffineExpr first = index.getSymbol(loop.getInductionVar());
    Value after = buildSteps(first, count, loop.getRegionIterArg(0));
    scf::YieldOp::create(builder, scan.getLoc(), after);
    return loop.getResult(0);
  }

  Value buildSteps(AffineExpr first, int64_t count, Value value) {
    SmallVector<LaneLoad> loads;
    for (int64_t step = 0; count > 1 && step < count; ++step)
      loads.push_back(getLoad(first + step));
    SmallVector<Value> elements = target.buildLoads(index, loads);
    elements.resize(count);
    SmallVector<LaneStore> waiting;
    Block &combiner = scan.getCombiner().front();
    for (auto [step, memory] : llvm::enumerate(elements)) {
      Value element = memory ? body.fromMemory(memory, source.elementType)
                             : body.load(source, getAddress(source, first + step));
      body.map(combiner.getArgument(0), value);
      body.map(combiner.getArgument(1), element);
      body.run(combiner);
      Value after = body.getYielded(combiner)[0];
      if (point.vector)
        after = body.toLanes(after);
      body.store(out, getAddress(out, first + step), scan.getExclusive() ? value : after,
                 count > 1 ? &waiting : nullptr);
      value = after;
    }
    target.buildStores(index, waiting);
    return value;
  }

  IndexBuilder &index;
  OpBuilder &builder;
  KernelTarget &target;
  te::ScanOp scan;
  const TensorBuffer &source, &out;
  BodyEvaluator &body;
  const TilePoint &point;
  AffineExpr length;
};
} // namespace

/// Returns the innermost dim with many lines, if any. Where their number is open, a vector of few
/// lines takes no longer than one line, if the lines lie side by side.
static std::optional<unsigned> findLaneDim(ArrayRef<AffineExpr> extents, unsigned axis) {
  for (unsigned dim = extents.size(); dim-- > 0;) {
    auto lines = dyn_cast<AffineConstantExpr>(extents[dim]);
    if (dim != axis && (lines ? lines.getValue() >= leastLines : dim + 1 == extents.size()))
      return dim;
  }
  return std::nullopt;
}

/// Returns the box whose points are the lines of a scan: the scanned axis has one iteration.
static PointBox getLines(IndexBuilder &index, te::ScanOp scan, ArrayRef<OpFoldResult> sizes,
                         const IRMapping &values) {
  PointBox box{getSizeExprs(index, sizes, values), std::nullopt, /*spread=*/true};
  box.vectorDim = findLaneDim(box.extents, scan.getAxis());
  box.extents[scan.getAxis()] = getAffineConstantExpr(1, index.getContext());
  return box;
}

namespace tssa::conversion {

LogicalResult lowerScanKernel(OpBuilder &builder, te::KernelOp kernel, te::ScanOp scan,
                              KernelTarget &target) {
  SmallVector<OpFoldResult> sizes = scan.getIterationDomain();
  builder.setInsertionPoint(kernel);
  KernelFunction function = createKernelFunction(builder, kernel, target);
  IndexBuilder index(builder, scan.getLoc());
  FailureOr<Schedule> schedule =
      scheduleBox(getLines(index, scan, sizes, function.context.values), target, scan);
  if (failed(schedule))
    return failure();
  LogicalResult result = failure();
  target.buildIterations(index, function.func, [&](Value number) {
    result = buildBox(index, function.context, *schedule, number,
                      [&](BodyEvaluator &body, const TilePoint &point) {
                        LineBuilder(index, function, scan, body, point).build();
                      });
  });
  if (failed(result) || failed(finishKernelFunction(builder, function, target)))
    return failure();
  createExtentFunction(builder, kernel, [&](IndexBuilder &extentIndex, const IRMapping &values) {
    FailureOr<Schedule> lines =
        scheduleBox(getLines(extentIndex, scan, sizes, values), target, scan);
    MLIRContext *context = extentIndex.getContext();
    Value n = extentIndex.materialize(extentIndex.simplify(getParallelCount(*lines, context)));
    AffineExpr work = getProduct(getSizeExprs(extentIndex, sizes, values), context);
    return std::make_pair(n, target.buildGrain(extentIndex, n, work));
  });
  return success();
}

} // namespace tssa::conversion
