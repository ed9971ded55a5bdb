//===- ParallelizeLoops.cpp - loops over windows as expressions -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A loop is one expression with a dim more when its iterations do not see each other:
///
///   1. Counters (an index that grows by a constant in each iteration) are made
///      arithmetic on the induction variable.
///   2. Every carried tensor c is yielded as a chain of assigns that begins with c, and
///      all else that uses c are accesses of it.
///   3. Some dim of c tells the iterations apart: every window, written or read, begins
///      there at a * i + b with one a, and lies within |a| * step elements of the first
///      one. Then no iteration touches what another one writes, and reads see what was
///      there before the loop.
///   4. The rest of the body is expressions and index arithmetic (LoopBatch).
///
//===----------------------------------------------------------------------===//

#include "dialects/tssa/Analysis/Shapes.h"
#include "dialects/tssa/Transforms/LoopBatch.h"
#include "dialects/tssa/Transforms/Passes.h"
#include "dialects/tssa/Transforms/WindowMap.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
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
// Counters
//===----------------------------------------------------------------------===//

/// By how much `argument` grows in each iteration, if that is a constant.
static std::optional<int64_t> getIncrement(scf::ForOp loop, BlockArgument argument) {
  if (!argument.getType().isIndex() && !argument.getType().isInteger(64))
    return std::nullopt;
  Linear difference = Linear::of(loop.getTiedLoopYieldedValue(argument)->get()) -
                      Linear::of(OpFoldResult(argument));
  return difference.getConstant();
}

/// Whether an index is known not to be negative, as sizes are.
static bool isNonNegative(Value index) {
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return *constant >= 0;
  Operation *op = index.getDefiningOp();
  if (isa_and_nonnull<tensor::DimOp>(op))
    return true;
  if (isa_and_nonnull<arith::MaxSIOp>(op))
    return llvm::any_of(op->getOperands(), isNonNegative);
  return isa_and_nonnull<arith::AddIOp, arith::MulIOp, arith::MinSIOp, arith::CeilDivSIOp>(op) &&
         llvm::all_of(op->getOperands(), isNonNegative);
}

/// The number of iterations, at the builder.
static Value makeTripCount(OpBuilder &builder, scf::ForOp loop) {
  Location loc = loop.getLoc();
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value length = loop.getUpperBound();
  if (getConstantIntValue(loop.getLowerBound()) != 0)
    length = arith::SubIOp::create(builder, loc, length, loop.getLowerBound());
  if (!isNonNegative(length))
    length = arith::MaxSIOp::create(builder, loc, length, zero);
  if (getConstantIntValue(loop.getStep()) == 1)
    return length;
  return arith::CeilDivSIOp::create(builder, loc, length, loop.getStep());
}

/// init + iteration * increment, as `type`.
static Value makeCounter(OpBuilder &builder, Location loc, Value init, Value iteration,
                         int64_t increment) {
  Type type = init.getType();
  if (!type.isIndex())
    iteration = arith::IndexCastOp::create(builder, loc, type, iteration);
  Value factor = arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, increment));
  Value grown = arith::MulIOp::create(builder, loc, iteration, factor);
  return arith::AddIOp::create(builder, loc, init, grown);
}

/// Makes arithmetic of the counters of a loop that counts from 0 by 1; they are still
/// carried, for nobody.
static void replaceCounters(scf::ForOp loop) {
  if (getConstantIntValue(loop.getLowerBound()) != 0 || getConstantIntValue(loop.getStep()) != 1)
    return;
  for (BlockArgument argument : loop.getRegionIterArgs()) {
    std::optional<int64_t> increment = getIncrement(loop, argument);
    OpResult result = loop.getTiedLoopResult(argument);
    if (!increment || (argument.use_empty() && result.use_empty()))
      continue;
    OpBuilder builder = OpBuilder::atBlockBegin(loop.getBody());
    Value init = loop.getTiedLoopInit(argument)->get();
    Value inside = makeCounter(builder, loop.getLoc(), init, loop.getInductionVar(), *increment);
    argument.replaceAllUsesWith(inside);
    builder.setInsertionPointAfter(loop);
    Value after =
        makeCounter(builder, loop.getLoc(), init, makeTripCount(builder, loop), *increment);
    result.replaceAllUsesWith(after);
    loop.getTiedLoopYieldedValue(argument)->set(argument);
  }
}

/// Makes of the sizes of tensors in the body what they were made with, or sizes of what
/// came into the loop.
static void replaceSizes(scf::ForOp loop) {
  for (Operation &op : llvm::make_early_inc_range(*loop.getBody())) {
    auto dim = dyn_cast<tensor::DimOp>(op);
    std::optional<int64_t> number = dim ? dim.getConstantIndex() : std::nullopt;
    if (!number || loop.isDefinedOutsideOfLoop(dim.getSource()))
      continue;
    OpBuilder builder(dim);
    OpFoldResult size = refs::getSizes(builder, dim.getLoc(), dim.getSource())[*number];
    if (size == OpFoldResult(dim.getResult()))
      continue;
    dim.replaceAllUsesWith(getValueOrCreateConstantIndexOp(builder, dim.getLoc(), size));
    dim.erase();
  }
}

static void hoistConstants(scf::ForOp loop) {
  for (Operation &op : llvm::make_early_inc_range(*loop.getBody()))
    if (isa<te::ConstantOp>(op) || op.hasTrait<OpTrait::ConstantLike>())
      op.moveBefore(loop);
}

//===----------------------------------------------------------------------===//
// Independence
//===----------------------------------------------------------------------===//

namespace {
/// A carried tensor, what is assigned to it in an iteration, and its accesses.
struct Carried {
  BlockArgument argument;
  SmallVector<AssignOp> assigns;
  SmallVector<AccessOp> accesses;
};
} // namespace

/// The chain of assigns from the argument to what is yielded; nothing if there are
/// other uses than that chain and accesses.
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

/// Whether dim `dim` tells the iterations apart in all `windows`.
static bool separates(scf::ForOp loop, ArrayRef<Box> windows, unsigned dim) {
  Value index = loop.getInductionVar();
  const Box::Side &first = windows.front().sides[dim];
  int64_t factor = first.start.getFactor(index);
  int64_t least = 0, most = 0;
  for (const Box &window : windows) {
    const Box::Side &side = window.sides[dim];
    std::optional<int64_t> offset = (side.start - first.start).getConstant();
    std::optional<int64_t> size = side.size.getConstant();
    if (!offset || !size)
      return false;
    least = std::min(least, *offset);
    most = std::max(most, *offset + (*size - 1) * side.step);
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
  // The whole of a dim that nobody knows the size of is longer than any step.
  SmallVector<OpFoldResult> sizes = llvm::map_to_vector(type.getShape(), [&](int64_t size) {
    return OpFoldResult(
        builder.getIndexAttr(ShapedType::isDynamic(size) ? int64_t(1) << 40 : size));
  });
  SmallVector<Box> windows;
  bool isWhole;
  for (AssignOp assign : carried.assigns)
    windows.push_back(getBox(assign.getBoundPath(), sizes, isWhole));
  for (AccessOp access : carried.accesses)
    windows.push_back(getBox(access.getBoundPath(), sizes, isWhole));
  return llvm::any_of(llvm::seq<unsigned>(0, type.getRank()),
                      [&](unsigned dim) { return separates(loop, windows, dim); });
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

namespace {
class Parallelizer {
public:
  explicit Parallelizer(scf::ForOp loop) : loop(loop), builder(loop) {}
  /// Says why not where it fails.
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
      return giveUp("a carried tensor is used as a whole");
    if (!isIndependent(builder, loop, *found))
      return giveUp("one iteration may touch what another one writes");
    carried.push_back(std::move(*found));
  }
  return success();
}

LogicalResult Parallelizer::checkBody() {
  LoopBatch batch(builder, loop, Value());
  for (Operation &op : loop.getBody()->without_terminator())
    if (!batch.canBatch(&op))
      return giveUp("'" + op.getName().getStringRef() + "' is not done for all iterations at once");
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
    return giveUp("its step is no constant");
  hoistConstants(loop);
  replaceCounters(loop);
  replaceSizes(loop);
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
