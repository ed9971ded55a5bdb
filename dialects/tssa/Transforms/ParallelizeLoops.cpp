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
///   2. Each carried tensor c is yielded as a chain of assigns that begins with c, and all other
///      uses of c are accesses.
///   3. Some dim of c separates the iterations: in this dim, each slice that is written or read
///      starts at a * i + b with one factor a for all slices, and all slices of an iteration lie
///      within |a| * step elements. Then no iteration reads or writes what another iteration
///      writes, and each read sees the value from before the loop.
///   4. The rest of the body consists of expressions and index arithmetic (LoopBatch).
///
//===----------------------------------------------------------------------===//

#include "dialects/tssa/Transforms/LoopBatch.h"
#include "dialects/tssa/Transforms/LoopForm.h"
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
// Independence
//===----------------------------------------------------------------------===//

namespace {
/// A carried tensor, the assigns to it in one iteration, and its accesses.
struct Carried {
  BlockArgument argument;
  SmallVector<AssignOp> assigns;
  SmallVector<AccessOp> accesses;
};
} // namespace

/// Returns the chain of assigns from `argument` to the value that is yielded for it. Returns
/// nothing if `argument` has uses other than this chain and accesses.
static std::optional<Carried> findChain(scf::ForOp loop, BlockArgument argument) {
  Carried carried{argument, {}, {}};
  Value value = loop.getTiedLoopYieldedValue(argument)->get();
  while (auto assign = value.getDefiningOp<AssignOp>()) {
    if (!value.hasOneUse() || assign->getBlock() != loop.getBody())
      return std::nullopt;
    carried.assigns.push_back(assign);
    value = assign.getBase();
  }
  if (value != argument)
    return std::nullopt;
  std::reverse(carried.assigns.begin(), carried.assigns.end());
  for (OpOperand &use : argument.getUses()) {
    Operation *user = use.getOwner();
    if (auto access = dyn_cast<AccessOp>(user); access && access->getBlock() == loop.getBody())
      carried.accesses.push_back(access);
    else if (!carried.assigns.empty() ? user != carried.assigns.front()
                                      : user != loop.getBody()->getTerminator())
      return std::nullopt;
    else if (auto assign = dyn_cast<AssignOp>(user); assign && assign.getSource() == argument)
      return std::nullopt;
  }
  return carried;
}

/// Returns whether the `slices` of different iterations never overlap in dim `dim`.
static bool separates(scf::ForOp loop, ArrayRef<Box> slices, unsigned dim) {
  Value index = loop.getInductionVar();
  const Box::Range &first = slices.front().ranges[dim];
  int64_t factor = first.start.getFactor(index);
  int64_t least = 0, most = 0;
  for (const Box &slice : slices) {
    const Box::Range &range = slice.ranges[dim];
    std::optional<int64_t> offset = (range.start - first.start).getConstant();
    std::optional<int64_t> size = range.size.getConstant();
    if (!offset || !size)
      return false;
    least = std::min(least, *offset);
    most = std::max(most, *offset + (*size - 1) * range.step);
  }
  for (auto [term, times] : first.start.getTerms())
    if (term != index && !loop.isDefinedOutsideOfLoop(term))
      return false;
  return std::abs(factor) * *getConstantIntValue(loop.getStep()) > most - least;
}

static bool isIndependent(OpBuilder &builder, scf::ForOp loop, const Carried &carried) {
  if (carried.assigns.empty())
    return true;
  Value init = loop.getTiedLoopInit(carried.argument)->get();
  auto type = cast<RankedTensorType>(init.getType());
  // A dynamic size is replaced by a large number: a slice that takes all of such a dim overlaps
  // with the slices of other iterations, whatever the step of the loop is.
  SmallVector<OpFoldResult> sizes = llvm::map_to_vector(type.getShape(), [&](int64_t size) {
    return OpFoldResult(
        builder.getIndexAttr(ShapedType::isDynamic(size) ? int64_t(1) << 40 : size));
  });
  SmallVector<Box> slices;
  bool isWhole;
  for (AssignOp assign : carried.assigns)
    slices.push_back(getBox(assign.getBoundPath(), sizes, isWhole));
  for (AccessOp access : carried.accesses)
    slices.push_back(getBox(access.getBoundPath(), sizes, isWhole));
  return llvm::any_of(llvm::seq<unsigned>(0, type.getRank()),
                      [&](unsigned dim) { return separates(loop, slices, dim); });
}

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
  void rewrite();

  scf::ForOp loop;
  OpBuilder builder;
  SmallVector<Carried> carried;

public:
  std::string reason;
};
} // namespace

LogicalResult Parallelizer::findCarried() {
  for (BlockArgument argument : loop.getRegionIterArgs()) {
    if (!isa<RankedTensorType>(argument.getType())) {
      if (argument.use_empty() || argument == loop.getTiedLoopYieldedValue(argument)->get())
        continue;
      return giveUp("it carries a scalar that is no counter");
    }
    std::optional<Carried> found = findChain(loop, argument);
    if (!found)
      return giveUp("a carried tensor has a use other than reads and writes of slices");
    if (!isIndependent(builder, loop, *found))
      return giveUp("one iteration may read or write elements that another one writes");
    carried.push_back(std::move(*found));
  }
  return success();
}

LogicalResult Parallelizer::checkBody() {
  LoopBatch batch(builder, loop, Value());
  for (Operation &op : loop.getBody()->without_terminator())
    if (!batch.canBatch(&op))
      return giveUp("'" + op.getName().getStringRef() +
                    "' cannot be done for all iterations at once");
  return success();
}

void Parallelizer::rewrite() {
  Value count = makeTripCount(builder, loop);
  LoopBatch batch(builder, loop, count);
  for (const Carried &tensor : carried) {
    batch.setUniform(tensor.argument, loop.getTiedLoopInit(tensor.argument)->get());
    for (AccessOp access : tensor.accesses)
      access.getBaseMutable().assign(loop.getTiedLoopInit(tensor.argument)->get());
  }
  for (Operation &op : llvm::make_early_inc_range(*loop.getBody()))
    if (auto access = dyn_cast<AccessOp>(op)) {
      OpBuilder inside(access);
      lowerAccess(inside, access);
      access.erase();
    }
  for (Operation &op : loop.getBody()->without_terminator())
    if (auto compute = dyn_cast<te::ComputeOp>(op))
      batch.batch(compute);
    else if (auto cast = dyn_cast<tensor::CastOp>(op))
      batch.batch(cast);
  for (const Carried &tensor : carried) {
    Value value = loop.getTiedLoopInit(tensor.argument)->get();
    for (AssignOp assign : tensor.assigns)
      value = batch.batch(assign, value);
    loop.getTiedLoopResult(tensor.argument).replaceAllUsesWith(value);
  }
  for (auto [result, init] : llvm::zip_equal(loop.getResults(), loop.getInitArgs()))
    result.replaceAllUsesWith(init);
  loop.erase();
}

LogicalResult Parallelizer::run() {
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (!step || *step < 1)
    return giveUp("its step is not constant");
  prepareForBatch(loop);
  if (failed(findCarried()) || failed(checkBody()))
    return failure();
  if (llvm::all_of(carried, [](const Carried &tensor) { return tensor.assigns.empty(); }))
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
