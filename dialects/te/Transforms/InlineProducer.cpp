//===- InlineProducer.cpp - compute a tensor where it is read -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Transforms/InlineProducer.h"
#include "dialects/te/IR/PointOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

/// Adds the guard `outer` to `read`. If the read had no guard of its own, its value is `pad` where
/// the guard does not hold.
static ReadOp addGuard(RewriterBase &rewriter, ReadOp read, IntegerSet outer,
                       ValueRange outerSymbols, TypedAttr pad) {
  SmallVector<Value> symbols(read.getSymbols());
  SmallVector<AffineExpr> outerExprs;
  for (Value symbol : outerSymbols) {
    auto *it = llvm::find(symbols, symbol);
    outerExprs.push_back(getAffineSymbolExpr(it - symbols.begin(), read.getContext()));
    if (it == symbols.end())
      symbols.push_back(symbol);
  }
  SmallVector<AffineExpr> constraints;
  SmallVector<bool> equalities;
  if (read.getGuard()) {
    llvm::append_range(constraints, read.getGuard()->getConstraints());
    llvm::append_range(equalities, read.getGuard()->getEqFlags());
  }
  for (AffineExpr constraint : outer.getConstraints())
    constraints.push_back(constraint.replaceSymbols(outerExprs));
  llvm::append_range(equalities, outer.getEqFlags());
  unsigned numDims = read.getMap().getNumDims();
  auto map = AffineMap::get(numDims, symbols.size(), read.getMap().getResults(), read.getContext());
  auto guard = IntegerSet::get(numDims, symbols.size(), constraints, equalities);
  rewriter.setInsertionPoint(read);
  return rewriter.replaceOpWithNewOp<ReadOp>(read, read.getSource(), map, symbols, guard,
                                             read.getGuard() ? read.getPadAttr() : pad);
}

void te::inlineProducer(RewriterBase &rewriter, ReadOp read, ComputeOp producer, unsigned piece) {
  rewriter.setInsertionPoint(read);
  Operation *before = read->getPrevNode();
  IRMapping mapping;
  PointMap point{read.getMap(), read.getSymbols()};
  SmallVector<Value> values = cloneBody(rewriter, *producer.getPieceBlock(piece), point, mapping);
  Value value = values[cast<OpResult>(read.getSource()).getResultNumber()];
  if (!read.getGuard()) {
    rewriter.replaceOp(read, value);
    return;
  }

  IntegerSet guard = *read.getGuard();
  TypedAttr pad = read.getPadAttr();
  // If the value is the result of a read, the guard of this read can give the pad value.
  auto direct = value.getDefiningOp<ReadOp>();
  bool isPadded = direct && direct->getBlock() == read->getBlock() &&
                  (!before || before->isBeforeInBlock(direct)) &&
                  (!direct.getGuard() || direct.getPadAttr() == pad);
  Block::iterator first = before ? std::next(before->getIterator()) : read->getBlock()->begin();
  for (Operation &op : llvm::make_early_inc_range(llvm::make_range(first, read->getIterator()))) {
    auto inner = dyn_cast<ReadOp>(op);
    if (!inner)
      continue;
    bool isValue = inner.getValue() == value;
    TypedAttr innerPad = isValue && isPadded
                             ? pad
                             : cast<TypedAttr>(rewriter.getZeroAttr(inner.getValue().getType()));
    ReadOp guarded = addGuard(rewriter, inner, guard, read.getSymbols(), innerPad);
    if (isValue)
      value = guarded;
  }
  rewriter.setInsertionPoint(read);
  if (!isPadded) {
    auto inside = InsideOp::create(rewriter, read.getLoc(), read.getSymbols(), guard);
    auto constant = arith::ConstantOp::create(rewriter, read.getLoc(), pad);
    value = arith::SelectOp::create(rewriter, read.getLoc(), inside, value, constant);
  }
  rewriter.replaceOp(read, value);
}

//===----------------------------------------------------------------------===//
// Producers with pieces
//===----------------------------------------------------------------------===//

PiecesRead te::findPieces(ReadOp read, ComputeOp producer, PointDomain &domain) {
  if (producer.getPieces().size() == 1)
    return {{{0, IntegerSet()}}, {}};
  PiecesRead overlapping;
  unsigned numDims = read.getMap().getNumDims();
  SmallVector<AffineExpr> point = domain.enter(read.getMap().getResults(), read.getSymbols());
  for (unsigned piece = 0; piece < producer.getPieces().size(); ++piece) {
    IntegerSet set = producer.getPieceSet(piece);
    SmallVector<AffineExpr> constraints;
    for (AffineExpr constraint : domain.enter(set.getConstraints(), producer.getSymbols()))
      constraints.push_back(constraint.replaceDims(point));
    Truth truth;
    set = domain.getSimplifier().simplify(
        IntegerSet::get(numDims, domain.getSymbols().size(), constraints, set.getEqFlags()), truth);
    if (truth == Truth::Always)
      return {{{piece, IntegerSet()}}, {}};
    if (truth == Truth::Unknown)
      overlapping.pieces.push_back({piece, set});
  }
  overlapping.symbols.assign(domain.getSymbols().begin(), domain.getSymbols().end());
  return overlapping;
}

/// Returns whether `expr` has a symbol whose value is computed in `expression`.
static bool hasOwnSymbol(AffineExpr expr, ArrayRef<Value> symbols, Operation *expression) {
  for (unsigned position = 0; position < symbols.size(); ++position) {
    Value value = symbols[position];
    if (expr.isFunctionOfSymbol(position) &&
        expression->isAncestor(value.getParentBlock()->getParentOp()))
      return true;
  }
  return false;
}

StringRef te::findSplitObstacle(ReadOp read, const PiecesRead &pieces) {
  auto consumer = dyn_cast<ComputeOp>(read->getParentOp());
  if (!consumer || consumer.hasReduction() || read.getGuard())
    return "its reader cannot be split along its pieces";
  if (pieces.pieces.empty() || consumer.getPieces().size() + pieces.pieces.size() > maxPieces + 1)
    return "its reader would have no piece, or too many";
  bool areBoxes = llvm::all_of(pieces.pieces, [&](const auto &piece) {
    return llvm::none_of(piece.second.getConstraints(), [&](AffineExpr constraint) {
      return divides(constraint) || hasOwnSymbol(constraint, pieces.symbols, consumer);
    });
  });
  return areBoxes ? "" : "its pieces depend on data or on divisions";
}

/// Adds to `sets` the set of piece `split` of `consumer`, intersected with each of `pieces`.
static void addIntersections(PieceSets &sets, ComputeOp consumer, unsigned split,
                             const PiecesRead &pieces) {
  IntegerSet own = consumer.getPieceSet(split);
  SmallVector<Value> symbols(pieces.symbols);
  llvm::append_range(symbols, consumer.getSymbols());
  for (const auto &[number, set] : pieces.pieces) {
    SmallVector<AffineExpr> constraints;
    SmallVector<bool> equalities;
    if (own) {
      for (AffineExpr constraint : own.getConstraints())
        constraints.push_back(constraint.shiftSymbols(own.getNumSymbols(), pieces.symbols.size()));
      llvm::append_range(equalities, own.getEqFlags());
    }
    llvm::append_range(constraints, set.getConstraints());
    llvm::append_range(equalities, set.getEqFlags());
    sets.add(IntegerSet::get(consumer.getNumParallel(), symbols.size(), constraints, equalities),
             symbols);
  }
}

ComputeOp te::splitByPieces(RewriterBase &rewriter, ComputeOp consumer, ReadOp read,
                            ComputeOp producer, const PiecesRead &pieces) {
  unsigned numPieces = consumer.getPieces().size();
  unsigned split = 0;
  while (&consumer.getPieces()[split] != read->getParentRegion())
    ++split;
  PieceSets sets;
  for (unsigned piece = 0; piece < numPieces; ++piece)
    if (piece == split)
      addIntersections(sets, consumer, split, pieces);
    else
      sets.add(consumer.getPieceSet(piece), consumer.getSymbols());
  ArrayAttr where = sets.get(rewriter.getContext());
  rewriter.setInsertionPoint(consumer);
  auto result = ComputeOp::create(rewriter, consumer.getLoc(), consumer.getResultTypes(),
                                  consumer.getDynamicSizes(), sets.getSymbols(),
                                  consumer.getStaticSizes(), consumer.getNumParallel(), ArrayAttr(),
                                  where, consumer.getLabelAttr(), where.size());
  unsigned next = 0;
  for (unsigned piece = 0; piece < numPieces; ++piece) {
    Region &body = consumer.getPieces()[piece];
    if (piece != split) {
      result.getPieces()[next++].takeBody(body);
      continue;
    }
    for (const auto &[number, set] : pieces.pieces) {
      IRMapping mapping;
      Region &copy = result.getPieces()[next++];
      body.cloneInto(&copy, mapping);
      auto copiedRead = mapping.lookup(read.getValue()).getDefiningOp<ReadOp>();
      inlineProducer(rewriter, copiedRead, producer, number);
    }
  }
  rewriter.replaceOp(consumer, result);
  return result;
}
