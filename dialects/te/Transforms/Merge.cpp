//===- Merge.cpp - merge tensor expressions along their reads -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Expressions are visited in program order, so that the producers that an expression reads are
/// already merged:
/// 1. A producer without reduction is computed where it is read, if the partition says so
///    (Partition.h). The pieces of a producer become pieces of an element-wise reader.
///    A window of a producer that its reader needs often is computed once, and stored.
/// 2. An update of a window becomes an expression with pieces, if its base can be computed there.
/// 3. An element-wise expression becomes the epilogue of a reduction that no other expression
///    reads. If it reads rearranged elements, the rearrangement is done after the epilogue.
/// 4. Producers that have no use any more are erased.
///
//===----------------------------------------------------------------------===//

#include "dialects/te/Analysis/Join.h"
#include "dialects/te/IR/TEOps.h"
#include "dialects/te/Partition/IndexCost.h"
#include "dialects/te/Partition/Partition.h"
#include "dialects/te/Transforms/AbsorbConsumer.h"
#include "dialects/te/Transforms/ExpandUpdate.h"
#include "dialects/te/Transforms/InlineProducer.h"
#include "dialects/te/Transforms/Passes.h"
#include "dialects/te/Transforms/SimplifyBody.h"
#include "dialects/te/Transforms/StoreWindow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "te-merge"

namespace mlir::tssa::te {
#define GEN_PASS_DEF_TEMERGE
#include "dialects/te/Transforms/Passes.h.inc"
} // namespace mlir::tssa::te

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

namespace {
/// How to merge one read.
struct Decision {
  enum Kind { Keep, Inline, Split, Store } kind = Keep;
  ComputeOp producer;
  PiecesRead pieces;
  std::optional<ReadWindow> window; ///< of the producer, to be stored
  StringRef obstacle;               ///< why a producer without reduction is kept
};

/// Keeps the choices of a partition while its expressions are replaced.
class ChoiceKeeper : public RewriterBase::Listener {
public:
  explicit ChoiceKeeper(Partition &partition) : partition(partition) {}

  void notifyOperationReplaced(Operation *op, Operation *replacement) override {
    partition.replace(op, replacement);
  }
  void notifyOperationReplaced(Operation *op, ValueRange replacement) override {
    if (!replacement.empty() && replacement.front().getDefiningOp())
      partition.replace(op, replacement.front().getDefiningOp());
  }
  void notifyOperationErased(Operation *op) override { partition.erase(op); }

private:
  Partition &partition;
};

class Merger {
public:
  Merger(func::FuncOp function, const TEMergeOptions &options)
      : partition(function, options.partition, options.maxOps), keeper(partition),
        rewriter(function.getContext(), &keeper), options(options) {}

  void visit(ExpressionOpInterface expression);
  void explainStored(func::FuncOp function);

  unsigned numInlined = 0, numSplit = 0, numAbsorbed = 0, numExpanded = 0, numStored = 0;

private:
  ExpressionOpInterface inlineReads(ExpressionOpInterface op);
  ExpressionOpInterface expand(UpdateOp update);
  Decision decide(ReadOp read);
  StringRef findObstacle(ReadOp read, ComputeOp producer, const BodyFacts &facts);
  void considerWindow(ReadOp read, const BodyFacts &facts, Decision &decision);
  void eraseIfUnused(Operation *op);

  Partition partition;
  ChoiceKeeper keeper;
  IRRewriter rewriter;
  const TEMergeOptions &options;
};
} // namespace

static SmallVector<ReadOp> collectReads(Operation *op) {
  SmallVector<ReadOp> reads;
  op->walk([&](ReadOp read) { reads.push_back(read); });
  return reads;
}

/// Returns why `producer` is not computed at `read`, whatever its pieces and indexes are.
StringRef Merger::findObstacle(ReadOp read, ComputeOp producer, const BodyFacts &facts) {
  if (!partition.isComputedWhereRead(producer))
    return partition.getReason(producer);
  if (facts.numOps != 0 && getBodyFacts(*read->getBlock()).numOps + facts.numOps > options.maxOps)
    return "the body would have too many ops";
  if (read.getGuard() && facts.mayTrap)
    return "it may divide by zero where the guard of its reader does not hold";
  return "";
}

/// Decides to store the window that `read` needs, if its reader would compute it several times.
/// `facts` are those of the piece that it reads.
void Merger::considerWindow(ReadOp read, const BodyFacts &facts, Decision &decision) {
  bool isComputed = decision.kind == Decision::Inline || decision.kind == Decision::Split;
  if (!isComputed || facts.isRearrangement() || options.windows == ::tssa::Apply::Never)
    return;
  ComputeOp producer = decision.producer;
  decision.window = findReadWindow(read, producer);
  if (!decision.window)
    return;
  ArrayRef<OpFoldResult> sizes = decision.window->sizes;
  bool isForced =
      options.windows == ::tssa::Apply::Always && getReuse(sizes, producer.getParallelSizes()) < 1;
  SmallVector<OpFoldResult> points = getReadSite(read, producer).points;
  if (isForced ||
      partition.getModel().isWorthStoring(facts, points, sizes, read.getValue().getType()))
    decision.kind = Decision::Store;
}

Decision Merger::decide(ReadOp read) {
  Decision decision;
  decision.producer = read.getSource().getDefiningOp<ComputeOp>();
  ComputeOp producer = decision.producer;
  if (!producer || producer.hasReduction())
    return decision;
  BodyFacts facts = getFacts(producer);
  decision.obstacle = findObstacle(read, producer, facts);
  if (!decision.obstacle.empty())
    return decision;
  PointDomain domain = PointDomain::get(read);
  decision.pieces = findPieces(read, producer, domain);
  bool isSplit = !decision.pieces.isOne();
  if (isSplit) {
    decision.obstacle = findSplitObstacle(read, decision.pieces);
    if (decision.obstacle.empty() && mayJoinInPlace(producer))
      decision.obstacle = "its parts can be computed where they are concatenated";
  } else {
    unsigned piece = decision.pieces.pieces.front().first;
    decision.obstacle = findIndexObstacle(read, producer, piece, domain);
    facts = getBodyFacts(*producer.getPieceBlock(piece));
  }
  if (decision.obstacle.empty())
    decision.kind = isSplit ? Decision::Split : Decision::Inline;
  considerWindow(read, facts, decision);
  return decision;
}

static remark::RemarkOpts getRemarkOptions(StringRef name) {
  return remark::RemarkOpts::name(name).category("te-merge");
}

/// Emits a remark that `merged` became part of the expression `into`.
static void explainMerged(ComputeOp merged, const char *how, Location into) {
  if (auto remark = remark::passed(merged.getLoc(), getRemarkOptions("merged"))) {
    std::string text;
    llvm::raw_string_ostream(text) << into;
    remark << remark::add(how) << remark::metric("Ops", getFacts(merged).numOps)
           << remark::metric("Into", text);
  }
}

/// Estimates how often each element of `producer` would be computed if it were inlined into `read`.
static std::string countComputations(ReadOp read, ComputeOp producer) {
  double count = getReuse(getReadSite(read, producer).points, producer.getParallelSizes());
  return llvm::formatv("{0:F1}", count);
}

/// For each expression that another expression still reads, emits a remark that says why it is
/// stored.
void Merger::explainStored(func::FuncOp function) {
  llvm::SmallPtrSet<Operation *, 16> seen;
  function.walk([&](ReadOp read) {
    auto producer = read.getSource().getDefiningOp<ComputeOp>();
    if (!producer || !seen.insert(producer).second)
      return;
    auto consumer = dyn_cast<ComputeOp>(read->getParentOp());
    StringRef obstacle = !producer.hasReduction() ? decide(read).obstacle
                         : consumer ? findEpilogueObstacle(producer, consumer, options.permutations)
                                    : "its reader is a te.update";
    remark::missed(producer.getLoc(), getRemarkOptions("stored"))
        << remark::reason("{0}", obstacle.empty() ? "its reader was merged with another expression"
                                                  : obstacle)
        << remark::metric("Ops", getFacts(producer).numOps)
        << remark::metric("Uses", std::distance(producer->use_begin(), producer->use_end()))
        << remark::metric("Computations", countComputations(read, producer));
  });
}

void Merger::eraseIfUnused(Operation *op) {
  if (op->use_empty())
    rewriter.eraseOp(op);
}

/// Inlines producers until nothing changes. Returns the op or its replacement.
ExpressionOpInterface Merger::inlineReads(ExpressionOpInterface op) {
  bool changed = true;
  SimplifyCounts counts;
  while (changed) {
    changed = false;
    for (ReadOp read : collectReads(op)) {
      Decision decision = decide(read);
      if (decision.kind == Decision::Keep) {
        LDBG() << "keeps " << read << (decision.obstacle.empty() ? "" : ": ") << decision.obstacle;
        continue;
      }
      changed = true;
      LDBG() << "computes " << decision.producer << " in " << op->getLoc();
      explainMerged(decision.producer,
                    decision.kind == Decision::Store ? "a window of it is computed once"
                                                     : "computed where it is read",
                    op->getLoc());
      op->setLoc(rewriter.getFusedLoc({decision.producer.getLoc(), op->getLoc()}));
      if (decision.kind == Decision::Store) {
        ComputeOp window = storeWindow(rewriter, read, decision.producer, *decision.window);
        partition.store(window, "it is a window that its reader needs often");
        inlineReads(window);
        ++numStored;
        eraseIfUnused(decision.producer);
        break;
      }
      if (decision.kind == Decision::Inline) {
        inlineProducer(rewriter, read, decision.producer, decision.pieces.pieces.front().first);
        ++numInlined;
        eraseIfUnused(decision.producer);
        continue;
      }
      op = splitByPieces(rewriter, cast<ComputeOp>(*op), read, decision.producer, decision.pieces);
      ++numSplit;
      eraseIfUnused(decision.producer);
      break;
    }
    if (changed)
      op = simplifyBodies(rewriter, op, counts);
  }
  return op;
}

/// Rewrites `update` to an expression with pieces and merges it, or returns it as it is.
ExpressionOpInterface Merger::expand(UpdateOp update) {
  StringRef obstacle;
  Location loc = update.getLoc();
  ComputeOp expanded = expandUpdates(rewriter, update, options.updates, obstacle);
  if (!expanded) {
    remark::missed(loc, getRemarkOptions("update"))
        << remark::add("written in place") << remark::reason("{0}", obstacle);
    return update;
  }
  ++numExpanded;
  remark::passed(loc, getRemarkOptions("update"))
      << remark::add("an expression with pieces")
      << remark::metric("Pieces", expanded.getPieces().size());
  return inlineReads(expanded);
}

void Merger::visit(ExpressionOpInterface expression) {
  ExpressionOpInterface merged = inlineReads(expression);
  if (auto update = dyn_cast<UpdateOp>(*merged))
    merged = expand(update);
  auto consumer = dyn_cast<ComputeOp>(*merged);
  if (!consumer)
    return;
  if (getBodyFacts(*consumer.getPieceBlock()).numOps > options.maxOps)
    return;
  ComputeOp reduction = findAbsorbingReduction(consumer, options.permutations);
  if (!reduction) {
    reduction = findReductionBehindRearrangement(consumer);
    if (!reduction)
      return;
    consumer = splitOffRearrangement(rewriter, reduction, consumer);
  }
  SimplifyCounts counts;
  explainMerged(consumer, "the epilogue of a reduction", reduction.getLoc());
  ComputeOp absorbed = absorbConsumer(rewriter, reduction, consumer);
  ++numAbsorbed;
  simplifyBodies(rewriter, absorbed, counts);
}

namespace {
struct Merge : te::impl::TEMergeBase<Merge> {
  using TEMergeBase::TEMergeBase;

  void runOnOperation() override {
    if (partition == ::tssa::Apply::Never)
      return;
    SmallVector<ExpressionOpInterface> expressions;
    getOperation().walk(
        [&](ExpressionOpInterface expression) { expressions.push_back(expression); });
    TEMergeOptions options{maxOps, partition, updates, windows, permutations};
    Merger merger(getOperation(), options);
    for (ExpressionOpInterface expression : expressions)
      merger.visit(expression);
    explain(merger, expressions.size());
    numInlined += merger.numInlined;
    numSplit += merger.numSplit;
    numExpanded += merger.numExpanded;
    numAbsorbed += merger.numAbsorbed;
  }

private:
  /// Emits remarks on the number of expressions, each of which becomes a launch.
  void explain(Merger &merger, unsigned before) {
    auto remark = remark::analysis(getOperation().getLoc(), getRemarkOptions("expressions"));
    if (!remark)
      return;
    unsigned after = 0;
    getOperation().walk([&](ExpressionOpInterface) { ++after; });
    remark << remark::metric("Before", before) << remark::metric("After", after)
           << remark::metric("Inlined", merger.numInlined)
           << remark::metric("Split", merger.numSplit)
           << remark::metric("Expanded", merger.numExpanded)
           << remark::metric("Windows", merger.numStored)
           << remark::metric("Absorbed", merger.numAbsorbed);
    merger.explainStored(getOperation());
  }
};
} // namespace
