//===- HoistBatch.cpp - products of all iterations before the loop -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A loop that as a whole is not parallel may compute a product that does not depend on what it
/// carries, such as x[t] @ w in a recurrent network. Then the product of all iterations is computed
/// before the loop, as one product that reads the weights once:
///
///   1. The products of a body are its reductions of a tensor that is the same in each iteration,
///      and reductions that are the same as a whole.
///   2. The slice of a product (LoopSlice) must not depend on what the loop carries. No op with an
///      effect, such as a check, may stand before the product in the body.
///   3. The results of all iterations must fit the limits (BatchLimits).
///   4. The ops of the slice are batched (LoopBatch) or, if they do not depend on the iteration,
///      copied. In the loop, the product becomes an access of its iteration.
///
/// Inner loops go first, so that a product may leave several loops.
///
//===----------------------------------------------------------------------===//

#include "dialects/tssa/Transforms/BatchLimits.h"
#include "dialects/tssa/Transforms/LoopBatch.h"
#include "dialects/tssa/Transforms/LoopForm.h"
#include "dialects/tssa/Transforms/LoopSlice.h"
#include "dialects/tssa/Transforms/Passes.h"
#include "dialects/tssa/Transforms/SinkProducts.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::tssa::refs {
#define GEN_PASS_DEF_TSSAHOISTBATCH
#include "dialects/tssa/Transforms/Passes.h.inc"
} // namespace mlir::tssa::refs

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::refs;

//===----------------------------------------------------------------------===//
// One loop
//===----------------------------------------------------------------------===//

namespace {
class Hoister {
public:
  Hoister(scf::ForOp loop, remark::RemarkOpts options, bool force)
      : loop(loop), builder(loop), options(options), force(force) {}
  /// Hoists the products of the loop. Returns their number.
  unsigned run();

private:
  /// Hoists `compute` if it is a product that can be. `effect` is an op with an effect that stands
  /// before it in the body, or null.
  bool visit(te::ComputeOp compute, Operation *effect);
  std::string findObstacle(const LoopSlice &slice, te::ComputeOp compute, Operation *effect);
  void moveOut(LoopSlice &slice, te::ComputeOp compute);
  void batchOut(LoopSlice slice, te::ComputeOp compute);

  scf::ForOp loop;
  OpBuilder builder;
  remark::RemarkOpts options;
  bool force;
};
} // namespace

/// Copies the slice of `compute`, which is the same in each iteration, to the front of the loop.
void Hoister::moveOut(LoopSlice &slice, te::ComputeOp compute) {
  IRMapping mapping;
  builder.setInsertionPoint(loop);
  for (Operation *op : slice.getOps())
    builder.clone(*op, mapping);
  for (Value result : compute.getResults())
    result.replaceAllUsesWith(mapping.lookup(result));
  slice.eraseUnused();
}

/// Builds the slice of `compute` for all iterations. In the loop, `compute` becomes an access.
void Hoister::batchOut(LoopSlice slice, te::ComputeOp compute) {
  builder.setInsertionPoint(loop);
  LoopBatch batch(builder, loop, makeTripCount(builder, loop));
  batchSlice(builder, slice, batch);
  OpBuilder inside(compute);
  Value number = makeIterationNumber(inside, loop);
  for (Value result : compute.getResults()) {
    Path path{makeSelect(inside.getContext(), 0, number)};
    result.replaceAllUsesWith(
        AccessOp::create(inside, compute.getLoc(), batch.getBatched(result), path));
  }
  slice.eraseUnused();
}

/// Returns why `compute` stays in the loop, or an empty string.
std::string Hoister::findObstacle(const LoopSlice &slice, te::ComputeOp compute,
                                  Operation *effect) {
  if (!slice.getObstacle().empty())
    return slice.getObstacle().str();
  if (effect)
    return ("'" + effect->getName().getStringRef() + "' before it may end the run").str();
  if (!slice.varies(compute.getResult(0)))
    return slice.runsOnce(compute) ? "" : "it may fail, and the loop may run no iteration";
  return force ? "" : findExcess(loop, compute);
}

bool Hoister::visit(te::ComputeOp compute, Operation *effect) {
  if (!compute.hasReduction())
    return false;
  LoopSlice slice(loop, compute);
  bool isSame = !slice.varies(compute.getResult(0));
  if (!isSame && !force && !reusesTensor(slice, compute))
    return false;
  Location loc = compute.getLoc();
  std::string obstacle = findObstacle(slice, compute, effect);
  if (!obstacle.empty()) {
    remark::missed(loc, options)
        << remark::add("stays in the loop") << remark::reason("{0}", obstacle);
    return false;
  }
  if (isSame) {
    remark::passed(loc, options)
        << remark::add("computed once, before the loop: it is the same in each iteration");
    moveOut(slice, compute);
    return true;
  }
  uint64_t bytes = getBatchBytes(loop, compute.getResultTypes(), compute.getParallelSizes());
  remark::passed(loc, options)
      << remark::add("computed for all iterations, before the loop")
      << remark::metric("Iterations", describeIterations(loop))
      << remark::metric("Bytes", bytes);
  lowerAccesses(slice);
  batchOut(LoopSlice(loop, compute), compute);
  return true;
}

unsigned Hoister::run() {
  SmallVector<std::pair<te::ComputeOp, Operation *>> computes;
  Operation *effect = nullptr;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (auto compute = dyn_cast<te::ComputeOp>(op))
      computes.push_back({compute, effect});
    else if (!effect && !isMemoryEffectFree(&op))
      effect = &op;
  }
  unsigned numHoisted = 0;
  for (auto [compute, effect] : computes)
    if (!compute->use_empty())
      numHoisted += visit(compute, effect);
  return numHoisted;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Returns the number of reductions in the body of `loop` of tensors from outside of it.
static unsigned countProducts(scf::WhileOp loop) {
  return llvm::count_if(loop.getAfterBody()->getOps<te::ComputeOp>(), [&](te::ComputeOp compute) {
    WalkResult result = compute.walk([&](te::ReadOp read) {
      bool isOutside = !loop->isAncestor(read.getSource().getParentRegion()->getParentOp());
      return isOutside ? WalkResult::interrupt() : WalkResult::advance();
    });
    return compute.hasReduction() && result.wasInterrupted();
  });
}

static bool hasReduction(scf::ForOp loop) {
  return llvm::any_of(loop.getBody()->getOps<te::ComputeOp>(),
                      [](te::ComputeOp compute) { return compute.hasReduction(); });
}

namespace {
struct HoistBatch : refs::impl::TSSAHoistBatchBase<HoistBatch> {
  using TSSAHoistBatchBase::TSSAHoistBatchBase;

  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops) {
      std::optional<int64_t> step = getConstantIntValue(loop.getStep());
      if (!hasReduction(loop))
        continue;
      if (!step || *step < 1) {
        remark::missed(loop.getLoc(), getRemarkOptions())
            << remark::add("stays in the loop") << remark::reason("its step is not constant");
        continue;
      }
      prepareForBatch(loop);
      numHoisted += Hoister(loop, getRemarkOptions(), force).run();
      numSunk += sinkProducts(loop, getArgument(), force);
    }
    getOperation().walk([&](scf::WhileOp loop) {
      if (unsigned products = countProducts(loop))
        remark::missed(loop.getLoc(), getRemarkOptions())
            << remark::add("stays in the loop")
            << remark::reason("the number of iterations of a while loop is not known before")
            << remark::metric("Products", products);
    });
  }

  remark::RemarkOpts getRemarkOptions() const {
    return remark::RemarkOpts::name("product").category(getArgument());
  }
};
} // namespace
