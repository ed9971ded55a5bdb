//===- UpdateLowering.cpp - kernels of te.update as loops -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An update runs as one iteration if the order of its points may matter: an index comes from data,
// or several points write one element. Points that write a row of consecutive elements are vectors.
// If a block runs it, its threads copy the base together. Then
// they share the iterations of the dims along which points never write the same element.
//
//===----------------------------------------------------------------------===//

#include "BoxLowering.h"
#include "KernelFunction.h"
#include "PieceSchedule.h"
#include "SliceUpdate.h"
#include "dialects/te/IR/Sizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace ::tssa::conversion;

/// The number of threads of a block that runs an update.
static constexpr int64_t updateThreads = 256;

namespace {
/// Builds nested loops over `extents` and calls `body` inside, with the loops declared in `index`
/// as dims 0, 1, ... A dim with a value in `given` gets no loop, only the iteration at this value.
void buildLoops(IndexBuilder &index, ArrayRef<AffineExpr> extents, ArrayRef<Value> given,
                unsigned dim, function_ref<void()> body) {
  if (dim == extents.size()) {
    body();
    return;
  }
  OpBuilder &builder = index.getBuilder();
  if (given[dim]) {
    index.declareLoop(dim, extents[dim]);
    index.setLoop(dim, given[dim]);
    buildLoops(index, extents, given, dim + 1, body);
    return index.dropLoop(dim);
  }
  auto loop = scf::ForOp::create(builder, index.getLoc(), index.constant(0),
                                 index.materialize(extents[dim]), index.constant(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  index.declareLoop(dim, extents[dim]);
  index.setLoop(dim, loop.getInductionVar());
  buildLoops(index, extents, given, dim + 1, body);
  index.dropLoop(dim);
}

/// Divides the iterations of the `shared` dims among the threads. Builds a loop over the iterations
/// of this thread and calls `body` in it with an index for each dim. The index is null for dims
/// that are not shared.
void shareDims(IndexBuilder &index, ArrayRef<AffineExpr> extents, ArrayRef<bool> shared,
               BlockThreads &threads, function_ref<void(ArrayRef<Value>)> body) {
  OpBuilder &builder = index.getBuilder();
  Location loc = index.getLoc();
  SmallVector<AffineExpr> factors;
  for (auto [extent, isShared] : llvm::zip_equal(extents, shared))
    if (isShared)
      factors.push_back(extent);
  Value count = index.materialize(getProduct(factors, index.getContext()));
  auto loop = scf::ForOp::create(builder, loc, threads.buildNumber(index), count,
                                 index.constant(threads.count));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  Value rest = loop.getInductionVar();
  SmallVector<Value> given(extents.size());
  for (unsigned dim = extents.size(); dim-- > 0;) {
    if (!shared[dim])
      continue;
    Value extent = index.materialize(extents[dim]);
    given[dim] = arith::RemUIOp::create(builder, loc, rest, extent);
    rest = arith::DivUIOp::create(builder, loc, rest, extent);
  }
  body(given);
}

/// Builds `body` where `condition` holds. A null condition always holds.
void buildWhere(OpBuilder &builder, Location loc, Value condition, function_ref<void()> body) {
  if (!condition)
    return body();
  auto branch = scf::IfOp::create(builder, loc, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  body();
}

/// Copies the elements `first`, `first` + `step`, ... of `from` to `to`, unless both are the same
/// memory. The threads of a block together copy all elements.
void buildCopy(IndexBuilder &index, const TensorBuffer &from, const TensorBuffer &to, Value first,
               Value step) {
  OpBuilder &builder = index.getBuilder();
  Location loc = index.getLoc();
  buildWhere(builder, loc, buildAreDistinct(index, from, to), [&] {
    Value count = index.materialize(
        getProduct(getSizeExprs(index, from.sizes, IRMapping()), index.getContext()));
    auto loop = scf::ForOp::create(builder, loc, first, count, step);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(loop.getBody()->getTerminator());
    Value element = memref::LoadOp::create(builder, loc, from.memref, loop.getInductionVar());
    memref::StoreOp::create(builder, loc, element, to.memref, loop.getInductionVar());
  });
}
} // namespace

/// Returns the extent of a kernel that runs as one iteration on one thread.
static std::pair<Value, Value> getSerialExtent(IndexBuilder &index, const IRMapping &) {
  Value one = index.constant(1);
  return {one, one};
}

/// Builds `body` where `inBounds` holds, and sets the error flag elsewhere. Null always holds.
static void buildOrFail(IndexBuilder &index, KernelFunction &function, Value inBounds,
                        function_ref<void()> body) {
  if (!inBounds)
    return body();
  OpBuilder &builder = index.getBuilder();
  auto branch = scf::IfOp::create(builder, index.getLoc(), inBounds, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  body();
  builder.setInsertionPointToStart(branch.elseBlock());
  function.context.mayFail = true;
  function.context.target->buildFailure(index, function.context.errors);
}

/// Builds one point of an update: computes the value and its position, checks the position, and
/// combines the value with the old element.
static void buildUpdatePoint(IndexBuilder &index, KernelFunction &function, te::UpdateOp update,
                             BodyEvaluator &body) {
  OpBuilder &builder = index.getBuilder();
  Condition guard;
  if (update.getGuard())
    guard = body.getCondition(*update.getGuard(), update.getSymbols());
  if (guard.never)
    return;
  buildWhere(builder, index.getLoc(), body.materialize(guard), [&] {
    Block &block = update.getBody().front();
    body.run(block);
    SmallVector<Value> yielded = body.getYielded(block);
    SmallVector<Value> symbols(update.getSymbols());
    auto yield = block.getTerminator()->getOperands();
    symbols.append(std::next(yield.begin()), yield.end());
    SmallVector<AffineExpr> target;
    SmallVector<bool> opaque;
    for (AffineExpr expr : update.getMap().getResults()) {
      target.push_back(body.substitute(expr, symbols));
      opaque.push_back(
          llvm::any_of(llvm::seq<unsigned>(update.getSymbols().size(), symbols.size()),
                       [&](unsigned symbol) { return expr.isFunctionOfSymbol(symbol); }));
    }
    const TensorBuffer &out = function.outs[0];
    Value inBounds = body.areInBounds(target, opaque, out, /*replaces=*/false);
    buildOrFail(index, function, inBounds, [&] {
      AffineExpr address = body.getAddress(out, target);
      Value value = yielded[0];
      if (update.hasCombiner()) {
        Block &combiner = update.getCombiner().front();
        body.map(combiner.getArgument(0), body.load(out, address));
        body.map(combiner.getArgument(1), value);
        body.run(combiner);
        value = body.getYielded(combiner)[0];
      }
      body.store(out, address, value);
    });
  });
}

/// Builds the points of an update in order, in rows where it has rows.
static LogicalResult buildUpdateInOrder(IndexBuilder &index, KernelFunction &function,
                                        te::UpdateOp update, KernelTarget &target) {
  PointBox box{getSizeExprs(index, update.getIterationDomain(), function.context.values),
               te::findRowDim(update), /*spread=*/false};
  FailureOr<Schedule> schedule = scheduleBox(box, target, update);
  if (failed(schedule))
    return failure();
  return buildBox(index, function.context, *schedule, index.constant(0),
                  [&](BodyEvaluator &body, const TilePoint &) {
                    buildUpdatePoint(index, function, update, body);
                  });
}

/// Builds the points of an update, in order except for the dims that threads share.
static void buildSharedUpdate(IndexBuilder &index, KernelFunction &function, te::UpdateOp update,
                              BlockThreads &threads) {
  SmallVector<AffineExpr> extents =
      getSizeExprs(index, update.getIterationDomain(), function.context.values);
  shareDims(index, extents, te::findIndependentDims(update), threads, [&](ArrayRef<Value> given) {
    buildLoops(index, extents, given, 0, [&] {
      TilePoint point;
      for (unsigned dim = 0; dim < extents.size(); ++dim)
        point.dims.push_back(getAffineDimExpr(dim, index.getContext()));
      BodyEvaluator::Loads loads;
      BodyEvaluator body(index, function.context, point, 0, 0, loads);
      buildUpdatePoint(index, function, update, body);
    });
  });
}

static LogicalResult lowerSerialUpdate(OpBuilder &builder, te::KernelOp kernel, te::UpdateOp update,
                                       KernelTarget &target) {
  builder.setInsertionPoint(kernel);
  KernelFunction function = createKernelFunction(builder, kernel, target);
  IndexBuilder index(builder, update.getLoc());
  const TensorBuffer &base = function.context.buffers.find(update.getBase())->second;
  LogicalResult result = success();
  target.buildIterations(index, function.func, [&](Value) {
    BlockThreads *threads = target.getThreads();
    if (!threads) {
      buildCopy(index, base, function.outs[0], index.constant(0), index.constant(1));
      result = buildUpdateInOrder(index, function, update, target);
      return;
    }
    threads->count = updateThreads;
    Value number = threads->buildNumber(index);
    buildCopy(index, base, function.outs[0], number, index.constant(updateThreads));
    threads->buildBarrier(index);
    buildSharedUpdate(index, function, update, *threads);
  });
  if (failed(result) || failed(finishKernelFunction(builder, function, target)))
    return failure();
  createExtentFunction(builder, kernel, getSerialExtent);
  return success();
}

namespace tssa::conversion {

LogicalResult lowerUpdateKernel(OpBuilder &builder, te::KernelOp kernel, te::UpdateOp update,
                                KernelTarget &target) {
  if (std::optional<UpdateSlice> slice = matchSlice(update))
    return lowerSliceKernel(builder, kernel, update, *slice, target);
  return lowerSerialUpdate(builder, kernel, update, target);
}

} // namespace tssa::conversion
