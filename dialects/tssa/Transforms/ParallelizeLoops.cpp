//===- ParallelizeLoops.cpp - loops over slices as expressions -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A loop becomes expressions with a further dim if its iterations are independent:
///
///   1. A counter, an index that changes by a constant in each iteration, is rewritten to
///      arithmetic on the induction variable.
///   2. Each carried tensor is yielded as a chain of writes to it, and no iteration reads or writes
///      what another iteration writes (LoopWindows).
///   3. Each check can be done for all iterations before the loop (LoopChecks).
///   4. The rest of the body consists of expressions and index arithmetic (LoopBatch).
///
//===----------------------------------------------------------------------===//

#include "dialects/tssa/Transforms/BatchLimits.h"
#include "dialects/tssa/Transforms/LoopBatch.h"
#include "dialects/tssa/Transforms/LoopChecks.h"
#include "dialects/tssa/Transforms/LoopForm.h"
#include "dialects/tssa/Transforms/LoopSlice.h"
#include "dialects/tssa/Transforms/LoopWindows.h"
#include "dialects/tssa/Transforms/Passes.h"
#include "dialects/tssa/Transforms/ViewMap.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Remarks.h"

namespace mlir::tssa::refs {
#define GEN_PASS_DEF_TSSAPARALLELIZELOOPS
#include "dialects/tssa/Transforms/Passes.h.inc"
} // namespace mlir::tssa::refs

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::refs;

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

namespace {
class Parallelizer {
public:
  explicit Parallelizer(scf::ForOp loop) : loop(loop), builder(loop) {}
  /// Rewrites the loop. If it fails, `reason` says why.
  LogicalResult run();

private:
  LogicalResult giveUp(const Twine &why) {
    reason = why.str();
    return failure();
  }
  LogicalResult findCarried();
  LogicalResult checkBody();
  /// Replaces the accesses and assigns of the body by expressions.
  void lowerViews();
  /// Moves expressions that are the same in each iteration out of the loop.
  void hoistUniform();
  void rewrite();
  /// Replaces the results that are scalars, given the number of iterations.
  void replaceScalars(Value count);

  scf::ForOp loop;
  OpBuilder builder;
  SmallVector<CarriedTensor> carried;

public:
  std::string reason;
};
} // namespace

LogicalResult Parallelizer::findCarried() {
  for (BlockArgument argument : loop.getRegionIterArgs()) {
    if (!isa<RankedTensorType>(argument.getType())) {
      Value yielded = loop.getTiedLoopYieldedValue(argument)->get();
      if (argument == yielded || (argument.use_empty() && loop.isDefinedOutsideOfLoop(yielded)))
        continue;
      return giveUp("it carries a scalar that is no counter");
    }
    std::optional<CarriedTensor> found = findCarriedTensor(loop, argument, reason);
    if (!found)
      return failure();
    carried.push_back(std::move(*found));
  }
  return success();
}

LogicalResult Parallelizer::checkBody() {
  LoopBatch batch(builder, loop, Value());
  for (Operation &op : loop.getBody()->without_terminator())
    if (auto check = dyn_cast<te::CheckOp>(op)) {
      if (!canCheckAtOnce(loop, check))
        return giveUp("a check is no comparison of the loop's variable with a bound");
    } else if (!batch.canBatch(&op)) {
      return giveUp("'" + op.getName().getStringRef() +
                    "' cannot be done for all iterations at once");
    } else if (auto compute = dyn_cast<te::ComputeOp>(op)) {
      std::string excess = findExcess(loop, compute, TypeRange(loop.getResultTypes()));
      if (!excess.empty())
        return giveUp(excess);
    }
  return success();
}

void Parallelizer::lowerViews() {
  for (Operation &op : llvm::make_early_inc_range(*loop.getBody())) {
    OpBuilder inside(&op);
    if (auto access = dyn_cast<AccessOp>(op)) {
      lowerAccess(inside, access);
      access.erase();
    } else if (auto assign = dyn_cast<AssignOp>(op)) {
      te::UpdateOp update = lowerAssign(inside, assign);
      for (CarriedTensor &tensor : carried)
        llvm::replace(tensor.writes, assign.getOperation(), update.getOperation());
      assign.erase();
    }
  }
  prepareForBatch(loop); // moves the sizes of the expressions out of the loop
}

void Parallelizer::hoistUniform() {
  for (Operation &op : llvm::make_early_inc_range(loop.getBody()->without_terminator())) {
    if (!isa<te::ComputeOp, tensor::CastOp>(op))
      continue;
    LoopSlice slice(loop, &op);
    if (!slice.getObstacle().empty() || !slice.runsOnce(&op))
      continue;
    for (Operation *part : slice.getOps())
      part->moveBefore(loop);
  }
}

void Parallelizer::replaceScalars(Value count) {
  Location loc = loop.getLoc();
  for (BlockArgument argument : loop.getRegionIterArgs()) {
    Value last = loop.getTiedLoopInit(argument)->get();
    Value yielded = loop.getTiedLoopYieldedValue(argument)->get();
    OpResult result = loop.getTiedLoopResult(argument);
    if (result.use_empty())
      continue;
    // Without an iteration, the value stays what it was.
    if (yielded != argument) {
      Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
      Value runs = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt, count, zero);
      last = arith::SelectOp::create(builder, loc, runs, yielded, last);
    }
    result.replaceAllUsesWith(last);
  }
}

void Parallelizer::rewrite() {
  lowerViews();
  hoistUniform();
  Value count = makeTripCount(builder, loop);
  LoopBatch batch(builder, loop, count);
  llvm::DenseSet<Operation *> inPlace;
  for (const CarriedTensor &tensor : carried) {
    batch.setUniform(tensor.argument, loop.getTiedLoopInit(tensor.argument)->get());
    inPlace.insert_range(tensor.writes);
  }
  for (auto check : loop.getBody()->getOps<te::CheckOp>())
    checkAtOnce(builder, loop, count, check);
  for (Operation &op : loop.getBody()->without_terminator())
    if (auto compute = dyn_cast<te::ComputeOp>(op))
      batch.batch(compute);
    else if (auto conversion = dyn_cast<tensor::CastOp>(op))
      batch.batch(conversion);
    else if (inPlace.contains(&op))
      batch.batchInPlace(cast<te::UpdateOp>(op));
    else if (auto update = dyn_cast<te::UpdateOp>(op))
      batch.batch(update);
  for (const CarriedTensor &tensor : carried) {
    Value yielded = loop.getTiedLoopYieldedValue(tensor.argument)->get();
    loop.getTiedLoopResult(tensor.argument).replaceAllUsesWith(batch.getUniform(yielded));
  }
  replaceScalars(count);
  loop.erase();
}

LogicalResult Parallelizer::run() {
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (!step || *step < 1)
    return giveUp("its step is not constant");
  prepareForBatch(loop);
  if (failed(findCarried()) || failed(checkBody()))
    return failure();
  if (llvm::all_of(carried, [](const CarriedTensor &tensor) { return tensor.writes.empty(); }))
    return giveUp("it writes nothing");
  rewrite();
  return success();
}

namespace {
struct ParallelizeLoops : refs::impl::TSSAParallelizeLoopsBase<ParallelizeLoops> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops) {
      Location loc = loop.getLoc();
      Parallelizer parallelizer(loop);
      if (succeeded(parallelizer.run())) {
        ++numParallel;
        remark::passed(loc, remark::RemarkOpts::name("loop").category(getArgument()))
            << remark::add("all iterations at once");
      } else {
        remark::missed(loc, remark::RemarkOpts::name("loop").category(getArgument()))
            << remark::add("one iteration after the other")
            << remark::reason("{0}", parallelizer.reason);
      }
    }
  }
};
} // namespace
