//===- FuseCells.cpp - sums of products that one expression reads together -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The cell of an LSTM reads four windows of one product: its gates. An element of the state needs
/// one element of each. Such a cell is one expression with an accumulator for each window, whose
/// epilogue computes the state. So are the gates of a GRU and of a gated linear unit. Windows that
/// later expressions read become further results.
///
//===----------------------------------------------------------------------===//

#include "dialects/te/Analysis/Character.h"
#include "dialects/te/Analysis/WindowIndex.h"
#include "dialects/te/IR/Sizes.h"
#include "dialects/te/Transforms/AbsorbConsumer.h"
#include "dialects/te/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/CSE.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::tssa::te {
#define GEN_PASS_DEF_TEFUSECELLS
#include "dialects/te/Transforms/Passes.h.inc"
} // namespace mlir::tssa::te

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// More windows would need more accumulators than there are registers.
static constexpr size_t mostWindows = 8;

/// Larger products share what they load among rows of a tile, for which windows leave no registers.
static constexpr double mostOperations = 1 << 20;
/// Weights of more elements do not stay in the first-level cache from one row to the next.
static constexpr int64_t mostWeights = 1 << 14;

/// Returns the indexes of a window, if each dim of `consumer` occurs once in them.
static std::optional<SmallVector<WindowIndex>> matchWindow(ComputeOp consumer, AffineMap map) {
  std::optional<SmallVector<WindowIndex>> indexes = matchWindowIndexes(map);
  if (!indexes)
    return std::nullopt;
  SmallVector<bool> used(consumer.getNumParallel(), false);
  for (const WindowIndex &index : *indexes)
    if (index.dim && std::exchange(used[*index.dim], true))
      return std::nullopt;
  for (auto [isUsed, size] : llvm::zip(used, consumer.getIterationDomain()))
    if (!isUsed && getConstantSize(size) != 1)
      return std::nullopt;
  return indexes;
}

/// Returns the iterations of an index.
static OpFoldResult getExtent(ComputeOp consumer, const WindowIndex &index) {
  return index.dim ? consumer.getIterationDomain()[*index.dim]
                   : OpFoldResult(Builder(consumer.getContext()).getIndexAttr(1));
}

/// Returns whether two windows, along whose axes the same dims run, have no element in common.
static bool areDisjoint(ComputeOp consumer, ArrayRef<WindowIndex> a, ArrayRef<WindowIndex> b) {
  return llvm::any_of(llvm::zip(a, b), [&](auto pair) {
    auto [left, right] = pair;
    std::optional<int64_t> extent = getConstantSize(getExtent(consumer, left));
    int64_t distance = 0; // one that is too large for its type is larger than any extent
    return left.dim == right.dim && extent &&
           (llvm::SubOverflow(left.offset, right.offset, distance) || distance >= *extent ||
            distance <= -*extent);
  });
}

namespace {
/// How an expression becomes the epilogue of a reduction at several windows.
class CellMatch {
public:
  explicit CellMatch(ComputeOp reduction) : reduction(reduction) {}

  /// Returns why there is no such expression, or an empty string if there is.
  StringRef run();

  ComputeOp getConsumer() const { return consumer; }
  ArrayRef<OtherRead> getOthers() const { return others; }

private:
  StringRef findConsumer();
  StringRef addWindow(AffineMap map);
  StringRef addOther(ReadOp read);
  std::optional<OtherRead> translate(ReadOp read, ArrayRef<WindowIndex> indexes);

  ComputeOp reduction, consumer;
  SmallVector<OtherRead> others;
  SmallVector<AffineMap> maps;                   ///< over the consumer's domain
  SmallVector<SmallVector<WindowIndex>> windows; ///< those of `maps`
};
} // namespace

/// Finds the first expression that reads the reduction. What reads it later can read windows that
/// the consumer keeps.
StringRef CellMatch::findConsumer() {
  Operation *first = nullptr;
  for (Operation *user : reduction->getUsers()) {
    Operation *reader = reduction->getBlock()->findAncestorOpInBlock(*user);
    if (!isa<ReadOp>(user) || !reader)
      return "it is used by other ops than expressions";
    if (!first || reader->isBeforeInBlock(first))
      first = reader;
  }
  consumer = dyn_cast_or_null<ComputeOp>(first);
  if (!consumer || consumer.hasReduction() || consumer.getPieces().size() != 1)
    return "its first reader is a reduction or consists of pieces";
  return reduction.getPieces().size() != 1 ? "it consists of pieces" : "";
}

/// Adds a window over the consumer's domain.
StringRef CellMatch::addWindow(AffineMap map) {
  if (llvm::is_contained(maps, map))
    return "";
  std::optional<SmallVector<WindowIndex>> window = matchWindow(consumer, map);
  if (!window || llvm::any_of(windows, [&](ArrayRef<WindowIndex> other) {
        return !areDisjoint(consumer, *window, other);
      }))
    return "an element of it is read repeatedly";
  maps.push_back(map);
  windows.push_back(*window);
  return "";
}

/// Expresses a read of another expression by the window of the consumer that has the same
/// elements, if its axes are as long as those of the consumer's windows.
std::optional<OtherRead> CellMatch::translate(ReadOp read, ArrayRef<WindowIndex> indexes) {
  MLIRContext *context = read.getContext();
  auto reader = cast<ComputeOp>(read->getParentOp());
  AffineExpr zero = getAffineConstantExpr(0, context);
  SmallVector<AffineExpr> window, map(consumer.getNumParallel(), zero);
  for (auto [axis, index] : llvm::enumerate(indexes)) {
    const WindowIndex &like = windows.front()[axis];
    if (getExtent(reader, index) != getExtent(consumer, like))
      return std::nullopt;
    window.push_back((like.dim ? getAffineDimExpr(*like.dim, context) : zero) + index.offset);
    if (like.dim && index.dim)
      map[*like.dim] = getAffineDimExpr(*index.dim, context);
  }
  return OtherRead{read, AffineMap::get(consumer.getNumParallel(), 0, window, context),
                   AffineMap::get(read.getMap().getNumDims(), 0, map, context)};
}

StringRef CellMatch::addOther(ReadOp read) {
  auto reader = dyn_cast<ComputeOp>(read->getParentOp());
  if (!reader || reader.getPieces().size() != 1)
    return "an update reads it, or another expression at some of its points";
  std::optional<SmallVector<WindowIndex>> indexes = matchWindowIndexes(read.getMap());
  if (!indexes)
    return "another expression reads no window of it";
  std::optional<OtherRead> other = translate(read, *indexes);
  if (!other)
    return "another expression reads windows of other sizes";
  others.push_back(*other);
  return addWindow(other->window);
}

StringRef CellMatch::run() {
  if (StringRef obstacle = findConsumer(); !obstacle.empty())
    return obstacle;
  SmallVector<ReadOp> ofOthers;
  for (Operation *user : reduction->getUsers()) {
    auto read = cast<ReadOp>(user);
    if (read.getGuard() || !read.getSymbols().empty())
      return "a reader guards it or reads it at opaque indexes";
    if (read->getParentOp() != consumer)
      ofOthers.push_back(read);
    else if (StringRef obstacle = addWindow(read.getMap()); !obstacle.empty())
      return obstacle;
  }
  for (ReadOp read : ofOthers)
    if (StringRef obstacle = addOther(read); !obstacle.empty())
      return obstacle;
  if (windows.size() * reduction.getAccumulatorTypes().size() > mostWindows)
    return "too many windows of it are read";
  return windows.size() < 2 ? "one window of it is read" : "";
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static remark::RemarkOpts getRemarkOptions() {
  return remark::RemarkOpts::name("cell").category("te-fuse-cells");
}

/// Returns whether several rows of `reduction` read the same weights, which are too many to be
/// loaded for each row.
static bool sharesWeights(ComputeOp reduction) {
  SmallVector<OpFoldResult> domain = reduction.getIterationDomain();
  auto isShared = [&](ReadOp read) {
    auto type = cast<RankedTensorType>(read.getSource().getType());
    if (!read.getSource().getDefiningOp<ConstantOp>() || type.getNumElements() <= mostWeights)
      return false;
    return llvm::any_of(llvm::seq<unsigned>(0, reduction.getNumParallel()), [&](unsigned dim) {
      return getConstantSize(domain[dim]) != 1 && !read.getMap().isFunctionOfDim(dim);
    });
  };
  return llvm::any_of(reduction.getPieceBlock()->getOps<ReadOp>(), isShared);
}

namespace {
class CellFuser {
public:
  CellFuser(func::FuncOp function, ::tssa::Apply apply)
      : function(function), dominance(function), rewriter(function.getContext()), apply(apply) {}

  void run() {
    SmallVector<ComputeOp> reductions;
    function.walk([&](ComputeOp compute) {
      if (compute.hasReduction() && !compute->use_empty())
        reductions.push_back(compute);
    });
    for (ComputeOp reduction : reductions)
      visit(reduction);
  }

  unsigned numFused = 0;

private:
  /// Returns an expression that can be computed at the end of the epilogue, such as the output of a
  /// cell after its state.
  static ComputeOp findFollower(ComputeOp cell) {
    for (Operation *user : cell->getUsers())
      if (auto reader = dyn_cast<ComputeOp>(user->getParentOp()); reader && canFollow(cell, reader))
        return reader;
    return {};
  }

  void visit(ComputeOp reduction) {
    CellMatch match(reduction);
    StringRef obstacle = match.run();
    SizeTable sizes(reduction.getContext());
    Character character = getCharacter(reduction, sizes);
    double operations = assumeSizes(character.operations);
    if (obstacle.empty() && apply == ::tssa::Apply::Auto && operations > mostOperations &&
        character.isComputeIntensive(CharacterRule::Reuse))
      obstacle = "it is large and compute-intensive";
    if (obstacle.empty() && apply == ::tssa::Apply::Auto && sharesWeights(reduction))
      obstacle = "its rows share weights, which would be loaded for each row";
    if (!obstacle.empty()) {
      remark::missed(reduction.getLoc(), getRemarkOptions())
          << remark::reason("{0}", obstacle)
          << remark::metric("Operations", static_cast<int64_t>(operations));
      return;
    }
    ComputeOp fused = absorbConsumer(rewriter, reduction, match.getConsumer(), match.getOthers());
    int64_t saved = 1;
    while (ComputeOp reader = findFollower(fused)) {
      fused = absorbReader(rewriter, fused, reader);
      ++saved;
    }
    eliminateCommonSubExpressions(rewriter, dominance, fused);
    numFused += saved;
    remark::passed(fused.getLoc(), getRemarkOptions())
        << remark::add("an accumulator for each window")
        << remark::metric("Accumulators", fused.getAccumulatorTypes().size())
        << remark::metric("LaunchesSaved", saved)
        << remark::metric("Operations", static_cast<int64_t>(operations));
  }

  func::FuncOp function;
  DominanceInfo dominance;
  IRRewriter rewriter;
  ::tssa::Apply apply;
};

struct FuseCells : te::impl::TEFuseCellsBase<FuseCells> {
  using TEFuseCellsBase::TEFuseCellsBase;

  void runOnOperation() override {
    if (apply == ::tssa::Apply::Never)
      return;
    CellFuser fuser(getOperation(), apply);
    fuser.run();
    numFused += fuser.numFused;
  }
};
} // namespace
