//===- Merge.cpp - merge tensor expressions along their reads -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Expressions are visited in program order, so that what one reads is merged
/// already:
/// 1. A producer without reduction is computed where it is read, when that costs
///    nothing or is worth it (MergeCost.h). Pieces of a producer become pieces of
///    an element-wise reader.
/// 2. An element-wise expression becomes the epilogue of a reduction whose only
///    reader it is; if it reads rearranged, the rearrangement comes after it.
/// 3. Producers that nobody uses any more go.
///
//===----------------------------------------------------------------------===//

#include "dialects/te/IR/Sizes.h"
#include "dialects/te/IR/TEOps.h"
#include "dialects/te/Transforms/AbsorbConsumer.h"
#include "dialects/te/Transforms/InlineProducer.h"
#include "dialects/te/Transforms/MergeCost.h"
#include "dialects/te/Transforms/Passes.h"
#include "dialects/te/Transforms/SimplifyBody.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::tssa::te {
#define GEN_PASS_DEF_TEMERGE
#include "dialects/te/Transforms/Passes.h.inc"
} // namespace mlir::tssa::te

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

/// Pieces that a merged expression may have.
static constexpr unsigned maxPieces = 16;
/// Nodes of an index expression that a rearrangement may lead to.
static constexpr unsigned maxIndexSize = 64;

namespace {
/// What to do with one read.
struct Decision {
  enum Kind { Keep, Inline, Split } kind = Keep;
  ComputeOp producer;
  SmallVector<std::pair<unsigned, IntegerSet>> pieces;
};

class Merger {
public:
  Merger(MLIRContext *context, unsigned maxOps) : rewriter(context), maxOps(maxOps) {}

  void visit(Operation *op);

  unsigned numInlined = 0, numSplit = 0, numAbsorbed = 0;

private:
  Operation *inlineReads(Operation *op);
  Decision decide(ReadOp read);
  bool hasDivision(ReadOp read, ComputeOp producer, unsigned piece, PointDomain &domain);
  void eraseIfUnused(Operation *op);

  IRRewriter rewriter;
  unsigned maxOps;
};
} // namespace

static SmallVector<ReadOp> collectReads(Operation *op) {
  SmallVector<ReadOp> reads;
  op->walk([&](ReadOp read) { reads.push_back(read); });
  return reads;
}

static PointDomain getDomainAt(ReadOp read) {
  Operation *op = read->getParentOp();
  PointDomain domain = PointDomain::get(op);
  if (auto compute = dyn_cast<ComputeOp>(op))
    for (unsigned piece = 0; piece < compute.getPieces().size(); ++piece)
      if (&compute.getPieces()[piece] == read->getParentRegion() && compute.getPieceSet(piece))
        domain.assume(compute.getPieceSet(piece), {});
  return domain;
}

/// The place of an element in row-major order, over dims and the table of symbols;
/// null if a size is not known.
static AffineExpr getAddress(PointDomain &domain, Value tensor, ArrayRef<AffineExpr> indexes) {
  AffineExpr address = getAffineConstantExpr(0, tensor.getContext());
  for (auto [dim, index] : llvm::enumerate(indexes)) {
    OpFoldResult size = findSize(tensor, dim);
    if (!size)
      return {};
    AffineExpr extent = domain.getSize(size);
    if (!address.isSymbolicOrConstant() && !extent.isSymbolicOrConstant())
      return {};
    address = address * extent + index;
  }
  return domain.getSimplifier().simplify(address);
}

static bool divides(AffineExpr expr) {
  return expr
      .walk([](AffineExpr part) {
        bool isDivision =
            part.getKind() == AffineExprKind::FloorDiv || part.getKind() == AffineExprKind::Mod;
        return isDivision && !part.isSymbolicOrConstant() ? WalkResult::interrupt()
                                                          : WalkResult::advance();
      })
      .wasInterrupted();
}

static bool hasSymbols(AffineExpr expr) {
  return expr
      .walk([](AffineExpr part) {
        return isa<AffineSymbolExpr>(part) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether the indexes that the read would have after inlining a rearrangement are
/// too large, or divide in the body of a reduction, again and again, to find the
/// address. (An address may need no division where the indexes do: a reshape.)
bool Merger::hasDivision(ReadOp read, ComputeOp producer, unsigned piece, PointDomain &domain) {
  bool isReduced = getPlace(read, producer).isReduced;
  SmallVector<AffineExpr> point = domain.enter(read.getMap().getResults(), read.getSymbols());
  for (Operation &op : *producer.getPieceBlock(piece)) {
    auto inner = dyn_cast<ReadOp>(op);
    if (!inner)
      continue;
    SmallVector<AffineExpr> indexes;
    bool divided = false;
    for (AffineExpr expr : domain.enter(inner.getMap().getResults(), inner.getSymbols())) {
      indexes.push_back(domain.getSimplifier().simplify(expr.replaceDims(point)));
      divided |= divides(indexes.back());
      if (getExprSize(indexes.back()) > maxIndexSize)
        return true;
    }
    if (!isReduced || !divided)
      continue;
    // A constant is packed along plain indexes.
    if (inner.getGuard() || inner.getSource().getDefiningOp<ConstantOp>())
      return true;
    AffineExpr address = getAddress(domain, inner.getSource(), indexes);
    if (!address || divides(address))
      return true;
  }
  return false;
}

Decision Merger::decide(ReadOp read) {
  Decision decision;
  decision.producer = read.getSource().getDefiningOp<ComputeOp>();
  ComputeOp producer = decision.producer;
  if (!producer || producer.hasReduction())
    return decision;
  BodyFacts facts = getFacts(producer);
  ReadPlace place = getPlace(read, producer);
  unsigned numOps = getBodyFacts(*read->getBlock()).numOps;
  if (!isWorthInlining(producer, facts, place) || !isWorthInliningEverywhere(producer, facts) ||
      (!facts.isRearrangement() && numOps + facts.numOps > maxOps) ||
      (read.getGuard() && facts.mayTrap))
    return decision;
  PointDomain domain = getDomainAt(read);
  decision.pieces = findPieces(read, producer, domain);
  if (decision.pieces.size() == 1 && !decision.pieces[0].second) {
    bool isPlain =
        facts.isRearrangement() && !hasDivision(read, producer, decision.pieces[0].first, domain);
    if (isPlain || !facts.isRearrangement() ||
        getReuse(place.points, producer.getParallelSizes()) <= 1)
      decision.kind = Decision::Inline;
    return decision;
  }
  auto consumer = dyn_cast<ComputeOp>(place.op);
  if (!consumer || consumer.hasReduction() || read.getGuard() || decision.pieces.empty() ||
      consumer.getPieces().size() + decision.pieces.size() > maxPieces + 1)
    return decision;
  bool isOnlyReader = llvm::all_of(producer->getUsers(),
                                   [&](Operation *user) { return consumer->isAncestor(user); });
  bool areBoxes = llvm::all_of(decision.pieces, [](const auto &piece) {
    return llvm::none_of(piece.second.getConstraints(), [](AffineExpr constraint) {
      return divides(constraint) || hasSymbols(constraint);
    });
  });
  if (isOnlyReader && areBoxes)
    decision.kind = Decision::Split;
  return decision;
}

void Merger::eraseIfUnused(Operation *op) {
  if (op->use_empty())
    rewriter.eraseOp(op);
}

/// Inlines until nothing changes; returns the op or the one in its place.
Operation *Merger::inlineReads(Operation *op) {
  bool changed = true;
  SimplifyCounts counts;
  while (changed) {
    changed = false;
    for (ReadOp read : collectReads(op)) {
      Decision decision = decide(read);
      if (decision.kind == Decision::Keep)
        continue;
      changed = true;
      op->setLoc(rewriter.getFusedLoc({decision.producer.getLoc(), op->getLoc()}));
      if (decision.kind == Decision::Inline) {
        inlineProducer(rewriter, read, decision.producer, decision.pieces[0].first);
        ++numInlined;
        eraseIfUnused(decision.producer);
        continue;
      }
      op = splitByPieces(rewriter, cast<ComputeOp>(op), read, decision.producer, decision.pieces);
      ++numSplit;
      eraseIfUnused(decision.producer);
      break;
    }
    if (changed)
      op = simplifyBodies(rewriter, op, counts);
  }
  return op;
}

void Merger::visit(Operation *op) {
  op = inlineReads(op);
  auto consumer = dyn_cast<ComputeOp>(op);
  if (!consumer)
    return;
  if (getBodyFacts(*consumer.getPieceBlock()).numOps > maxOps)
    return;
  ComputeOp reduction = findAbsorbingReduction(consumer);
  if (!reduction) {
    reduction = findReductionBehindRearrangement(consumer);
    if (!reduction)
      return;
    consumer = splitOffRearrangement(rewriter, reduction, consumer);
  }
  SimplifyCounts counts;
  ComputeOp merged = absorbConsumer(rewriter, reduction, consumer);
  ++numAbsorbed;
  simplifyBodies(rewriter, merged, counts);
}

namespace {
struct Merge : te::impl::TEMergeBase<Merge> {
  using TEMergeBase::TEMergeBase;

  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa<ComputeOp, UpdateOp>(op))
        ops.push_back(op);
    });
    Merger merger(&getContext(), maxOps);
    for (Operation *op : ops)
      merger.visit(op);
    numInlined += merger.numInlined;
    numSplit += merger.numSplit;
    numAbsorbed += merger.numAbsorbed;
  }
};
} // namespace
