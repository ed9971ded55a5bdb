//===- SimplifyBody.cpp - simplifies index expressions in the bodies of an op -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Transforms/SimplifyBody.h"
#include "dialects/te/IR/MergeEqualOps.h"
#include "dialects/te/IR/PointOps.h"
#include "dialects/te/IR/Sizes.h"
#include "dialects/te/Transforms/Progression.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

namespace {
/// Simplifies the point ops of one body.
class BodySimplifier {
public:
  BodySimplifier(RewriterBase &rewriter, PointDomain &domain, SimplifyCounts &counts)
      : rewriter(rewriter), domain(domain), counts(counts) {}

  void run(Block &body, unsigned numDims) {
    this->numDims = numDims;
    for (Operation &op : llvm::make_early_inc_range(body)) {
      rewriter.setInsertionPoint(&op);
      if (auto read = dyn_cast<ReadOp>(op))
        simplify(read);
      else if (auto index = dyn_cast<IndexOp>(op))
        simplify(index);
      else if (auto inside = dyn_cast<InsideOp>(op))
        simplify(inside);
    }
  }

private:
  void simplify(ReadOp read);
  void simplify(IndexOp index);
  void simplify(InsideOp inside);
  void rebuild(ReadOp read, ArrayRef<AffineExpr> indexes, IntegerSet guard);
  SmallVector<AffineExpr> simplifyIndexes(ReadOp read, IntegerSet guard);
  bool isInBounds(ReadOp read, unsigned dim, AffineExpr index, IndexSimplifier &simplifier);
  bool foldSplat(ReadOp read, IntegerSet guard);
  bool foldPositions(ReadOp read, IntegerSet guard);
  /// Translates `set` to a set over dims and the table of symbols; see `PointDomain::enter`.
  IntegerSet enter(IntegerSet set, ValueRange symbols, bool expand);

  RewriterBase &rewriter;
  PointDomain &domain;
  SimplifyCounts &counts;
  unsigned numDims = 0;
};
} // namespace

IntegerSet BodySimplifier::enter(IntegerSet set, ValueRange symbols, bool expand) {
  SmallVector<AffineExpr> exprs = domain.enter(set.getConstraints(), symbols, expand);
  return IntegerSet::get(numDims, domain.getSymbols().size(), exprs, set.getEqFlags());
}

/// Returns whether `index` is proven to be in bounds of dim `dim` of the source, which must have a
/// static size.
bool BodySimplifier::isInBounds(ReadOp read, unsigned dim, AffineExpr index,
                                IndexSimplifier &simplifier) {
  if (read.getSourceType().isDynamicDim(dim))
    return false;
  return simplifier.isNonNegative(index) &&
         simplifier.isNonNegative(read.getSourceType().getDimSize(dim) - 1 - index);
}

/// Returns the indexes of `read`, simplified under the assumption that `guard` holds. An opaque
/// index is replaced by an expression only if the expression is proven to be in bounds, since the
/// run checks opaque indexes only.
SmallVector<AffineExpr> BodySimplifier::simplifyIndexes(ReadOp read, IntegerSet guard) {
  SmallVector<AffineExpr> plain = domain.enter(read.getMap().getResults(), read.getSymbols());
  SmallVector<AffineExpr> expanded =
      domain.enter(read.getMap().getResults(), read.getSymbols(), /*expand=*/true);
  std::optional<IndexSimplifier> guarded;
  if (guard) {
    guarded = domain.getSimplifier();
    for (unsigned i = 0; i < guard.getNumConstraints(); ++i) {
      guarded->assumeNonNegative(guard.getConstraint(i));
      if (guard.isEq(i))
        guarded->assumeNonNegative(-guard.getConstraint(i));
    }
  }
  IndexSimplifier &simplifier = guarded ? *guarded : domain.getSimplifier();
  SmallVector<AffineExpr> result;
  for (unsigned i = 0; i < plain.size(); ++i) {
    bool expand = plain[i] != expanded[i] && isInBounds(read, i, expanded[i], simplifier);
    result.push_back(simplifier.simplify(expand ? expanded[i] : plain[i]));
  }
  return result;
}

void BodySimplifier::rebuild(ReadOp read, ArrayRef<AffineExpr> indexes, IntegerSet guard) {
  MLIRContext *context = read.getContext();
  SmallVector<AffineExpr> exprs(indexes);
  if (guard)
    llvm::append_range(exprs, guard.getConstraints());
  SmallVector<Value> symbols = leaveSymbols(exprs, domain.getSymbols(), context);
  AffineMap map =
      AffineMap::get(numDims, symbols.size(), ArrayRef(exprs).take_front(indexes.size()), context);
  IntegerSet newGuard;
  if (guard)
    newGuard = IntegerSet::get(numDims, symbols.size(), ArrayRef(exprs).drop_front(indexes.size()),
                               guard.getEqFlags());
  if (map == read.getMap() && ValueRange(symbols) == read.getSymbols() &&
      newGuard == read.getGuard().value_or(IntegerSet()))
    return;
  rewriter.replaceOpWithNewOp<ReadOp>(read, read.getSource(), map, symbols, newGuard,
                                      guard ? read.getPadAttr() : TypedAttr());
}

/// Replaces a read of a splat constant by its value, if the pad value is the same. Returns whether
/// the read was replaced.
bool BodySimplifier::foldSplat(ReadOp read, IntegerSet guard) {
  auto constant = read.getSource().getDefiningOp<ConstantOp>();
  auto elements = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : DenseElementsAttr();
  if (!elements || !elements.isSplat() || !read.getSymbols().empty())
    return false;
  auto value = elements.getSplatValue<TypedAttr>();
  if (guard && value != read.getPadAttr())
    return false;
  ++counts.readsFolded;
  rewriter.replaceOpWithNewOp<arith::ConstantOp>(read, value);
  return true;
}

/// If the elements of an integer tensor are known to be an expression over their positions, returns
/// it; otherwise null.
static AffineExpr findElements(Value tensor) {
  if (auto constant = tensor.getDefiningOp<ConstantOp>())
    return findProgression(constant.getValue());
  auto compute = tensor.getDefiningOp<ComputeOp>();
  if (!compute || compute.getWhereAttr() || compute.hasReduction() ||
      !cast<RankedTensorType>(tensor.getType()).getElementType().isInteger())
    return {};
  ExpressionBody body = cast<ExpressionOpInterface>(*compute).getBodies().front();
  Value element =
      body.region->front().getTerminator()->getOperand(cast<OpResult>(tensor).getResultNumber());
  PointDomain domain = PointDomain::get(compute, body);
  AffineExpr expr = domain.getBodyExpr(element);
  if (!expr || !expr.isPureAffine() || isa<AffineConstantExpr>(expr))
    return {};
  auto isUsed = [&](unsigned symbol) { return expr.isFunctionOfSymbol(symbol); };
  return llvm::any_of(llvm::seq<unsigned>(domain.getSymbols().size()), isUsed) ? AffineExpr()
                                                                               : expr;
}

/// Replaces a read of positions, such as [0, 1, 2], by a te.index. Returns whether the read was
/// replaced.
bool BodySimplifier::foldPositions(ReadOp read, IntegerSet guard) {
  if (guard || !read.getSymbols().empty())
    return false;
  AffineExpr value = findElements(read.getSource());
  if (!value)
    return false;
  ++counts.readsFolded;
  AffineExpr expr = domain.getSimplifier().simplify(value.replaceDims(read.getMap().getResults()));
  Value index = IndexOp::create(rewriter, read.getLoc(), ValueRange(),
                                AffineMap::get(numDims, /*symbolCount=*/0, expr));
  rewriter.replaceOpWithNewOp<arith::IndexCastOp>(read, read.getType(), index);
  return true;
}

void BodySimplifier::simplify(ReadOp read) {
  IntegerSet guard;
  if (read.getGuard()) {
    Truth truth;
    IntegerSet entered = enter(*read.getGuard(), read.getSymbols(), /*expand=*/true);
    guard = domain.getSimplifier().simplify(entered, truth);
    if (truth == Truth::Never) {
      ++counts.readsFolded;
      rewriter.replaceOpWithNewOp<arith::ConstantOp>(read, read.getPadAttr());
      return;
    }
    if (truth == Truth::Always) {
      ++counts.guardsDropped;
      guard = {};
    }
  }
  if (!foldSplat(read, guard) && !foldPositions(read, guard))
    rebuild(read, simplifyIndexes(read, guard), guard);
}

void BodySimplifier::simplify(IndexOp index) {
  AffineExpr expr = domain.getSimplifier().simplify(
      domain.enter(index.getMap().getResult(0), index.getSymbols(), /*expand=*/true));
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    rewriter.replaceOpWithNewOp<arith::ConstantIndexOp>(index, constant.getValue());
    return;
  }
  SmallVector<Value> symbols = leaveSymbols(expr, domain.getSymbols(), index.getContext());
  AffineMap map = AffineMap::get(numDims, symbols.size(), expr);
  if (map != index.getMap() || ValueRange(symbols) != index.getSymbols())
    rewriter.replaceOpWithNewOp<IndexOp>(index, symbols, map);
}

void BodySimplifier::simplify(InsideOp inside) {
  Truth truth;
  IntegerSet set = domain.getSimplifier().simplify(
      enter(inside.getSet(), inside.getSymbols(), /*expand=*/true), truth);
  if (truth != Truth::Unknown) {
    ++counts.setsFolded;
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(inside,
                                                   rewriter.getBoolAttr(truth == Truth::Always));
    return;
  }
  SmallVector<AffineExpr> exprs(set.getConstraints());
  SmallVector<Value> symbols = leaveSymbols(exprs, domain.getSymbols(), inside.getContext());
  set = IntegerSet::get(numDims, symbols.size(), exprs, set.getEqFlags());
  if (set != inside.getSet() || ValueRange(symbols) != inside.getSymbols())
    rewriter.replaceOpWithNewOp<InsideOp>(inside, symbols, set);
}

//===----------------------------------------------------------------------===//
// Whole ops
//===----------------------------------------------------------------------===//

/// Simplifies the sets of pieces. If a piece has no point, creates a new op without this piece.
/// Returns the op or its replacement.
static ComputeOp simplifyPieces(RewriterBase &rewriter, ComputeOp compute) {
  if (!compute.getWhereAttr())
    return compute;
  PointDomain domain(compute.getContext(), compute.getIterationDomain());
  PieceSets sets;
  SmallVector<unsigned> kept;
  for (unsigned piece = 0; piece < compute.getPieces().size(); ++piece) {
    Truth truth;
    IntegerSet old = compute.getPieceSet(piece);
    SmallVector<AffineExpr> constraints = domain.enter(old.getConstraints(), compute.getSymbols());
    IntegerSet set = domain.getSimplifier().simplify(IntegerSet::get(old.getNumDims(),
                                                                     domain.getSymbols().size(),
                                                                     constraints, old.getEqFlags()),
                                                     truth);
    if (truth == Truth::Never)
      continue;
    kept.push_back(piece);
    sets.add(set, domain.getSymbols());
  }
  if (kept.empty()) // the whole domain is empty
    return compute;
  ArrayAttr where = kept.size() > 1 ? sets.get(rewriter.getContext()) : ArrayAttr();
  ArrayRef<Value> symbols = where ? sets.getSymbols() : ArrayRef<Value>();
  if (kept.size() == compute.getPieces().size()) {
    compute.setWhereAttr(where);
    compute.getSymbolsMutable().assign(symbols);
    return compute;
  }
  rewriter.setInsertionPoint(compute);
  auto copy = ComputeOp::create(rewriter, compute.getLoc(), compute.getResultTypes(),
                                compute.getDynamicSizes(), symbols, compute.getStaticSizes(),
                                compute.getNumParallel(), compute.getInitAttr(), where,
                                compute.getLabelAttr(), kept.size());
  copy.getCombiner().takeBody(compute.getCombiner());
  copy.getEpilogue().takeBody(compute.getEpilogue());
  for (auto [index, piece] : llvm::enumerate(kept))
    copy.getPieces()[index].takeBody(compute.getPieces()[piece]);
  rewriter.replaceOp(compute, copy);
  return copy;
}

ExpressionOpInterface te::simplifyBodies(RewriterBase &rewriter, ExpressionOpInterface expression,
                                         SimplifyCounts &counts) {
  if (auto compute = dyn_cast<ComputeOp>(*expression))
    expression = simplifyPieces(rewriter, compute);
  for (const ExpressionBody &body : expression.getBodies()) {
    PointDomain known = PointDomain::get(expression, body);
    BodySimplifier(rewriter, known, counts).run(body.region->front(), body.numDims);
    mergeEqualOps(rewriter, body.region->front());
  }
  return expression;
}
