//===- AbsorbConsumer.cpp - element-wise work after a reduction -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Transforms/AbsorbConsumer.h"
#include "dialects/te/Analysis/BodyFacts.h"
#include "dialects/te/IR/AssumedSize.h"
#include "dialects/te/IR/Builders.h"
#include "dialects/te/IR/PointOps.h"
#include "dialects/te/IR/Rounding.h"
#include "dialects/te/IR/Sizes.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

static bool isUnit(OpFoldResult size) { return getConstantSize(size) == 1; }

/// Returns the last dim whose size is not 1, if there is one.
static std::optional<unsigned> getInnermost(ArrayRef<OpFoldResult> sizes) {
  for (unsigned dim = sizes.size(); dim-- > 0;)
    if (!isUnit(sizes[dim]))
      return dim;
  return std::nullopt;
}

/// Returns whether `map` is a bijection from a domain of sizes `from` to a domain of sizes `to`
/// that permutes dims. Dims of size 1 are ignored.
static bool isPermutation(AffineMap map, ArrayRef<OpFoldResult> from, ArrayRef<OpFoldResult> to) {
  SmallVector<bool> used(from.size(), false);
  for (auto [result, expr] : llvm::enumerate(map.getResults())) {
    if (isUnit(to[result]) && expr == getAffineConstantExpr(0, map.getContext()))
      continue;
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || used[dim.getPosition()] || from[dim.getPosition()] != to[result])
      return false;
    used[dim.getPosition()] = true;
  }
  for (auto [isUsed, size] : llvm::zip(used, from))
    if (!isUsed && !isUnit(size))
      return false;
  return true;
}

/// Returns whether the permutation `map` keeps the innermost dim innermost.
static bool keepsInnermost(AffineMap map, ArrayRef<OpFoldResult> from, ArrayRef<OpFoldResult> to) {
  std::optional<unsigned> innermost = getInnermost(to);
  return !innermost ||
         map.getResult(*innermost) == getAffineDimExpr(*getInnermost(from), map.getContext());
}

/// The number of steps from which a reduction costs more than stores that are not contiguous.
static constexpr int64_t manySteps = 8;

static bool hasManySteps(ComputeOp reduction) {
  int64_t steps = 1;
  for (int64_t size : reduction.getStaticSizes().drop_front(reduction.getNumParallel()))
    steps = std::min(steps * std::min(assumeSize(size, SizeRole::Any), manySteps), manySteps);
  return steps >= manySteps;
}

/// Returns whether `consumer` only rearranges what it reads, or can be split such that a part of it
/// does, and only tensor expressions read its result. They then read the reduction in their order.
static bool isPassedBy(ComputeOp consumer) {
  unsigned numReads = 0;
  for (Operation &op : *consumer.getPieceBlock()) {
    if (isa<IndexOp, InsideOp>(op))
      return false;
    numReads += isa<ReadOp>(op);
  }
  return numReads == 1 && consumer.getNumResults() == 1 &&
         llvm::all_of(consumer->getUsers(), [](Operation *user) {
           return isa<ReadOp>(user) && isa<ComputeOp>(user->getParentOp());
         });
}

StringRef te::findEpilogueObstacle(ComputeOp reduction, ComputeOp consumer,
                                   ::tssa::Apply permutations) {
  if (!reduction.hasReduction())
    return "it is no reduction";
  if (consumer.hasReduction() || consumer.getPieces().size() != 1)
    return "its reader is a reduction or consists of pieces";
  if (reduction->getBlock() != consumer->getBlock())
    return "its reader is in another region";
  if (isWidening(consumer) &&
      llvm::all_of(consumer->getUsers(), [](Operation *user) { return isa<ReadOp>(user); }))
    return "its reader widens it, which is done where that is read";
  AffineMap map;
  for (Operation *user : reduction->getUsers()) {
    auto read = dyn_cast<ReadOp>(user);
    if (!read || read->getParentOp() != consumer)
      return "it has several users";
    if (read.getGuard() || !read.getSymbols().empty() || (map && map != read.getMap()))
      return "its reader guards it or reads it at other indexes";
    map = read.getMap();
  }
  SmallVector<OpFoldResult> from = consumer.getIterationDomain(), to = reduction.getParallelSizes();
  if (!map || !isPermutation(map, from, to))
    return "its reader reads it in another order or repeatedly";
  bool pays =
      permutations == ::tssa::Apply::Always ||
      (permutations == ::tssa::Apply::Auto && hasManySteps(reduction) && !isPassedBy(consumer));
  if (!keepsInnermost(map, from, to) && !pays)
    return "its reader reads it in another order, with another innermost dim";
  return "";
}

ComputeOp te::findAbsorbingReduction(ComputeOp consumer, ::tssa::Apply permutations) {
  ComputeOp best;
  for (Operation &op : *consumer.getPieceBlock()) {
    auto read = dyn_cast<ReadOp>(op);
    auto reduction = read ? read.getSource().getDefiningOp<ComputeOp>() : ComputeOp();
    if (!reduction || reduction == best ||
        !findEpilogueObstacle(reduction, consumer, permutations).empty())
      continue;
    if (!best || getReuse(reduction.getIterationDomain(), best.getIterationDomain()) > 1)
      best = reduction;
  }
  return best;
}

//===----------------------------------------------------------------------===//
// Consumers that rearrange
//===----------------------------------------------------------------------===//

ComputeOp te::findReductionBehindRearrangement(ComputeOp consumer) {
  if (consumer.hasReduction() || consumer.getPieces().size() != 1 ||
      consumer.getNumResults() != 1 || getBodyFacts(*consumer.getPieceBlock()).numOps == 0)
    return {};
  ReadOp only;
  for (Operation &op : *consumer.getPieceBlock()) {
    if (isa<IndexOp, InsideOp>(op) || (isa<ReadOp>(op) && only))
      return {};
    if (auto read = dyn_cast<ReadOp>(op))
      only = read;
  }
  auto reduction = only ? only.getSource().getDefiningOp<ComputeOp>() : ComputeOp();
  if (!reduction || !reduction.hasReduction() || !reduction->hasOneUse() || only.getGuard() ||
      reduction->getBlock() != consumer->getBlock() ||
      llvm::any_of(only.getSymbols(),
                   [&](Value symbol) { return symbol.getParentBlock() == only->getBlock(); }) ||
      getReuse(consumer.getIterationDomain(), reduction.getParallelSizes()) < 1)
    return {};
  return reduction;
}

ComputeOp te::splitOffRearrangement(RewriterBase &rewriter, ComputeOp reduction,
                                    ComputeOp consumer) {
  rewriter.setInsertionPoint(consumer);
  ReadOp read = cast<ReadOp>(*reduction->getUsers().begin());
  Type type = consumer.getPieceBlock()->getTerminator()->getOperand(0).getType();
  auto computed = buildCompute(
      rewriter, consumer.getLoc(), reduction.getParallelSizes(), type,
      [&](OpBuilder &b, Location loc) -> SmallVector<Value> {
        IRMapping mapping;
        PointMap point = identityPoint(b.getContext(), reduction.getNumParallel());
        mapping.map(read.getValue(),
                    ReadOp::create(b, loc, read.getSource(), point.map).getValue());
        for (Operation &op : consumer.getPieceBlock()->without_terminator())
          if (&op != read)
            b.clone(op, mapping);
        return {mapping.lookupOrDefault(consumer.getPieceBlock()->getTerminator()->getOperand(0))};
      });
  auto rearranged = buildCompute(
      rewriter, consumer.getLoc(), consumer.getIterationDomain(), type,
      [&](OpBuilder &b, Location loc) -> SmallVector<Value> {
        return {ReadOp::create(b, loc, computed.getResult(0), read.getMap(), read.getSymbols())};
      });
  rewriter.replaceOp(consumer, rearranged);
  return computed;
}

//===----------------------------------------------------------------------===//
// Epilogues
//===----------------------------------------------------------------------===//

/// Returns the map from the new domain to the domain of the reduction. `parallel` maps the parallel
/// dims; reduction dims stay at the end.
static PointMap makePoint(ComputeOp reduction, AffineMap parallel, bool withReduction) {
  MLIRContext *context = reduction.getContext();
  unsigned numDims = parallel.getNumDims() + (withReduction ? reduction.getNumReduction() : 0);
  SmallVector<AffineExpr> exprs(parallel.getResults());
  for (unsigned dim = parallel.getNumDims(); dim < numDims; ++dim)
    exprs.push_back(getAffineDimExpr(dim, context));
  return {AffineMap::get(numDims, 0, exprs, context), {}};
}

static ArrayAttr composePieceSets(ComputeOp reduction, AffineMap parallel) {
  if (!reduction.getWhereAttr())
    return {};
  SmallVector<Attribute> sets;
  PointMap point{parallel, {}};
  SmallVector<Value> symbols(reduction.getSymbols());
  for (unsigned piece = 0; piece < reduction.getPieces().size(); ++piece)
    sets.push_back(IntegerSetAttr::get(composeSet(
        reduction.getPieceSet(piece), reduction.getSymbols(), point, IRMapping(), symbols)));
  return ArrayAttr::get(reduction.getContext(), sets);
}

/// Returns the index maps at which `consumer` reads `reduction`, in the order of its body, followed
/// by those of other reads. Each occurs once.
static SmallVector<AffineMap> findWindows(ComputeOp reduction, ComputeOp consumer,
                                          ArrayRef<OtherRead> others) {
  SmallVector<AffineMap> windows;
  auto add = [&](AffineMap window) {
    if (!llvm::is_contained(windows, window))
      windows.push_back(window);
  };
  for (auto read : consumer.getPieceBlock()->getOps<ReadOp>())
    if (read.getSource().getDefiningOp() == reduction)
      add(read.getMap());
  for (const OtherRead &other : others)
    add(other.window);
  return windows;
}

namespace {
/// A window of a result of the reduction that other expressions read.
struct KeptWindow {
  AffineMap window;
  unsigned result; ///< of the reduction

  bool operator==(const KeptWindow &other) const {
    return window == other.window && result == other.result;
  }
};
} // namespace

static KeptWindow getKeptWindow(const OtherRead &other) {
  return {other.window, cast<OpResult>(ReadOp(other.read).getSource()).getResultNumber()};
}

static SmallVector<KeptWindow> findKeptWindows(ArrayRef<OtherRead> others) {
  SmallVector<KeptWindow> kept;
  for (const OtherRead &other : others)
    if (!llvm::is_contained(kept, getKeptWindow(other)))
      kept.push_back(getKeptWindow(other));
  return kept;
}

void te::buildCombiner(RewriterBase &rewriter, ComputeOp result, ArrayRef<ComputeOp> parts) {
  SmallVector<Type> types = result.getAccumulatorTypes(), arguments(types);
  llvm::append_range(arguments, types);
  Block *block = rewriter.createBlock(&result.getCombiner(), {}, arguments,
                                      SmallVector<Location>(arguments.size(), result.getLoc()));
  PointMap nowhere = identityPoint(result.getContext(), 0);
  SmallVector<Value> yielded;
  for (ComputeOp part : parts) {
    Block &combiner = part.getCombiner().front();
    unsigned begin = yielded.size(), count = combiner.getNumArguments() / 2;
    IRMapping mapping;
    for (unsigned i = 0; i < count; ++i) {
      mapping.map(combiner.getArgument(i), block->getArgument(begin + i));
      mapping.map(combiner.getArgument(count + i), block->getArgument(types.size() + begin + i));
    }
    llvm::append_range(yielded, cloneBody(rewriter, combiner, nowhere, mapping));
  }
  YieldOp::create(rewriter, result.getLoc(), yielded);
}

/// Returns the results of the reduction at `window`, from its accumulators there.
static SmallVector<Value> finish(RewriterBase &rewriter, ComputeOp reduction, AffineMap window,
                                 ValueRange accumulators) {
  if (!reduction.hasEpilogue())
    return SmallVector<Value>(accumulators);
  Block &epilogue = reduction.getEpilogue().front();
  IRMapping mapping;
  mapping.map(epilogue.getArguments(), accumulators);
  return cloneBody(rewriter, epilogue, makePoint(reduction, window, false), mapping);
}

/// Clones the body of `consumer`, with what `getValue` returns for each of its reads of
/// `reduction`, and appends what it yields to `yielded`.
static void cloneConsumer(RewriterBase &rewriter, ComputeOp reduction, ComputeOp consumer,
                          function_ref<Value(ReadOp)> getValue, SmallVectorImpl<Value> &yielded) {
  IRMapping mapping;
  PointMap identity = identityPoint(consumer.getContext(), consumer.getNumDims());
  for (Operation &op : consumer.getPieceBlock()->without_terminator()) {
    auto read = dyn_cast<ReadOp>(op);
    if (read && read.getSource().getDefiningOp() == reduction)
      mapping.map(read.getValue(), getValue(read));
    else
      clonePointwise(rewriter, &op, identity, mapping);
  }
  for (Value value : consumer.getPieceBlock()->getTerminator()->getOperands())
    yielded.push_back(mapping.lookupOrDefault(value));
}

/// Builds an epilogue: the reduction's epilogue at each window, followed by the consumer's body. It
/// also yields what is `kept` of the reduction.
static void buildEpilogue(RewriterBase &rewriter, ComputeOp result, ComputeOp reduction,
                          ComputeOp consumer, ArrayRef<AffineMap> windows,
                          ArrayRef<KeptWindow> kept) {
  SmallVector<Type> types = result.getAccumulatorTypes();
  Block *block = rewriter.createBlock(&result.getEpilogue(), {}, types,
                                      SmallVector<Location>(types.size(), reduction.getLoc()));
  ValueRange accumulators = block->getArguments();
  unsigned count = types.size() / windows.size();
  llvm::SmallDenseMap<AffineMap, SmallVector<Value>> values;
  for (auto [i, window] : llvm::enumerate(windows))
    values[window] = finish(rewriter, reduction, window, accumulators.slice(i * count, count));
  SmallVector<Value> yielded;
  auto getValue = [&](ReadOp read) {
    return values[read.getMap()][cast<OpResult>(read.getSource()).getResultNumber()];
  };
  cloneConsumer(rewriter, reduction, consumer, getValue, yielded);
  for (const KeptWindow &window : kept)
    yielded.push_back(values[window.window][window.result]);
  YieldOp::create(rewriter, consumer.getLoc(), yielded);
}

/// Creates the op that replaces both, without its regions.
static ComputeOp createAbsorbing(RewriterBase &rewriter, ComputeOp reduction, ComputeOp consumer,
                                 ArrayRef<AffineMap> windows, ArrayRef<KeptWindow> kept) {
  SmallVector<OpFoldResult> sizes = consumer.getIterationDomain();
  llvm::append_range(sizes, reduction.getReductionSizes());
  SmallVector<int64_t> staticSizes;
  SmallVector<Value> dynamicSizes;
  dispatchSizes(sizes, staticSizes, dynamicSizes);
  SmallVector<Attribute> init;
  for (unsigned i = 0; i < windows.size(); ++i)
    llvm::append_range(init, reduction.getInitAttr());
  SmallVector<Type> types(consumer.getResultTypes());
  auto shaped = cast<RankedTensorType>(types.front());
  for (const KeptWindow &window : kept)
    types.push_back(
        shaped.clone(getElementTypeOrSelf(reduction.getResult(window.result).getType())));
  return ComputeOp::create(
      rewriter, rewriter.getFusedLoc({reduction.getLoc(), consumer.getLoc()}), types, dynamicSizes,
      reduction.getSymbols(), staticSizes, consumer.getNumParallel(), rewriter.getArrayAttr(init),
      composePieceSets(reduction, windows.front()), StringAttr(), reduction.getPieces().size());
}

ComputeOp te::absorbConsumer(RewriterBase &rewriter, ComputeOp reduction, ComputeOp consumer,
                             ArrayRef<OtherRead> others) {
  SmallVector<AffineMap> windows = findWindows(reduction, consumer, others);
  SmallVector<KeptWindow> kept = findKeptWindows(others);
  rewriter.setInsertionPoint(consumer);
  ComputeOp result = createAbsorbing(rewriter, reduction, consumer, windows, kept);
  for (auto [from, to] : llvm::zip_equal(reduction.getPieces(), result.getPieces())) {
    rewriter.createBlock(&to);
    SmallVector<Value> yielded;
    for (AffineMap window : windows) {
      IRMapping mapping;
      PointMap point = makePoint(reduction, window, true);
      llvm::append_range(yielded, cloneBody(rewriter, from.front(), point, mapping));
    }
    YieldOp::create(rewriter, reduction.getLoc(), yielded);
  }
  buildEpilogue(rewriter, result, reduction, consumer, windows, kept);
  buildCombiner(rewriter, result, SmallVector<ComputeOp>(windows.size(), reduction));
  ResultRange results = result.getResults();
  for (const OtherRead &other : others) {
    size_t number = llvm::find(kept, getKeptWindow(other)) - kept.begin();
    rewriter.modifyOpInPlace(other.read, [&, read = other.read]() mutable {
      read.getSourceMutable().assign(results[consumer.getNumResults() + number]);
      read.setMap(other.map);
    });
  }
  rewriter.replaceOp(consumer, results.take_front(consumer.getNumResults()));
  rewriter.eraseOp(reduction);
  return result;
}

//===----------------------------------------------------------------------===//
// Readers of an epilogue
//===----------------------------------------------------------------------===//

/// Returns whether `map` is the identity. Dims of size 1 are ignored.
static bool isIdentity(AffineMap map, ArrayRef<OpFoldResult> sizes) {
  return llvm::all_of(llvm::enumerate(sizes), [&](auto entry) {
    AffineExpr expr = map.getResult(entry.index());
    return expr == getAffineDimExpr(entry.index(), map.getContext()) ||
           (isUnit(entry.value()) && expr == getAffineConstantExpr(0, map.getContext()));
  });
}

bool te::canFollow(ComputeOp reduction, ComputeOp reader) {
  if (reader.hasReduction() || reader.getPieces().size() != 1 ||
      reader->getBlock() != reduction->getBlock() ||
      reader.getIterationDomain() != reduction.getParallelSizes())
    return false;
  return llvm::all_of(reduction->getUsers(), [&](Operation *user) {
    auto read = dyn_cast<ReadOp>(user);
    if (!read || read->getParentOp() != reader) {
      Operation *other = reduction->getBlock()->findAncestorOpInBlock(*user);
      return other && reader->isBeforeInBlock(other);
    }
    return !read.getGuard() && read.getSymbols().empty() &&
           isIdentity(read.getMap(), reduction.getParallelSizes());
  });
}

/// Returns the results of `reduction` that something else than `reader` uses.
static SmallVector<unsigned> findKeptResults(ComputeOp reduction, ComputeOp reader) {
  SmallVector<unsigned> kept;
  for (OpResult result : reduction->getResults())
    if (llvm::any_of(result.getUsers(),
                     [&](Operation *user) { return user->getParentOp() != reader; }))
      kept.push_back(result.getResultNumber());
  return kept;
}

/// Builds the epilogue of both: that of the reduction, followed by the body of the reader.
static void buildSharedEpilogue(RewriterBase &rewriter, ComputeOp result, ComputeOp reduction,
                                ComputeOp reader, ArrayRef<unsigned> kept) {
  SmallVector<Type> types = reduction.getAccumulatorTypes();
  Block *block = rewriter.createBlock(&result.getEpilogue(), {}, types,
                                      SmallVector<Location>(types.size(), reduction.getLoc()));
  auto identity =
      AffineMap::getMultiDimIdentityMap(reduction.getNumParallel(), result.getContext());
  SmallVector<Value> values = finish(rewriter, reduction, identity, block->getArguments());
  SmallVector<Value> yielded;
  for (unsigned number : kept)
    yielded.push_back(values[number]);
  auto getValue = [&](ReadOp read) {
    return values[cast<OpResult>(read.getSource()).getResultNumber()];
  };
  cloneConsumer(rewriter, reduction, reader, getValue, yielded);
  YieldOp::create(rewriter, reader.getLoc(), yielded);
}

ComputeOp te::absorbReader(RewriterBase &rewriter, ComputeOp reduction, ComputeOp reader) {
  SmallVector<unsigned> kept = findKeptResults(reduction, reader);
  SmallVector<Type> types;
  for (unsigned number : kept)
    types.push_back(reduction.getResult(number).getType());
  llvm::append_range(types, reader.getResultTypes());
  rewriter.setInsertionPoint(reader);
  auto result = ComputeOp::create(
      rewriter, rewriter.getFusedLoc({reduction.getLoc(), reader.getLoc()}), types,
      reduction.getDynamicSizes(), reduction.getSymbols(), reduction.getStaticSizes(),
      reduction.getNumParallel(), reduction.getInitAttr(), reduction.getWhereAttr(), StringAttr(),
      reduction.getPieces().size());
  for (auto [from, to] : llvm::zip_equal(reduction.getPieces(), result.getPieces()))
    rewriter.cloneRegionBefore(from, to, to.end());
  rewriter.cloneRegionBefore(reduction.getCombiner(), result.getCombiner(),
                             result.getCombiner().end());
  buildSharedEpilogue(rewriter, result, reduction, reader, kept);
  for (auto [i, number] : llvm::enumerate(kept))
    rewriter.replaceUsesWithIf(
        reduction.getResult(number), result.getResult(i),
        [&](OpOperand &use) { return use.getOwner()->getParentOp() != reader; });
  rewriter.replaceOp(reader, result.getResults().drop_front(kept.size()));
  rewriter.eraseOp(reduction);
  return result;
}
