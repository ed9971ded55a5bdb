//===- PieceSchedule.cpp - the loops of one piece of an expression -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PieceSchedule.h"
#include "KernelFunction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace ::tssa::conversion;

namespace {
/// The bounds of a piece in one dim, over the symbols of an IndexBuilder.
struct DimBounds {
  SmallVector<AffineExpr> lower; ///< the first index is the greatest of these
  SmallVector<AffineExpr> upper; ///< the index after the last one is the least of these
};

/// The box of one piece, and the constraints of the piece that the box does not express.
class PieceBox {
public:
  PieceBox(IndexBuilder &index, ArrayRef<AffineExpr> extents) : extents(extents), index(index) {
    offsets.assign(extents.size(), getAffineConstantExpr(0, index.getContext()));
  }

  LogicalResult restrictTo(te::ComputeOp op, unsigned piece, const IRMapping &values);

  SmallVector<AffineExpr> offsets, extents; ///< of all dims, parallel and reduction
  IntegerSet rest;                          ///< the other constraints; null if there are none

private:
  void setBounds(unsigned dim, DimBounds bounds);
  AffineExpr combine(ArrayRef<AffineExpr> exprs, bool isGreatest);

  IndexBuilder &index;
};
} // namespace

/// If the constraint `expr` >= 0 bounds one dim, returns this dim and adds the bound, with
/// `symbols` in place of its symbols, to `bounds`.
static std::optional<unsigned> matchBound(AffineExpr expr, MutableArrayRef<DimBounds> bounds,
                                          ArrayRef<AffineExpr> symbols) {
  for (unsigned dim = 0; dim < bounds.size(); ++dim) {
    if (!expr.isFunctionOfDim(dim))
      continue;
    AffineExpr own = getAffineDimExpr(dim, expr.getContext());
    AffineExpr lower = simplifyAffineExpr(own - expr, bounds.size(), symbols.size());
    AffineExpr upper = simplifyAffineExpr(own + expr + 1, bounds.size(), symbols.size());
    if (lower.isSymbolicOrConstant())
      bounds[dim].lower.push_back(lower.replaceSymbols(symbols));
    else if (upper.isSymbolicOrConstant())
      bounds[dim].upper.push_back(upper.replaceSymbols(symbols));
    else
      return std::nullopt;
    return dim;
  }
  return std::nullopt;
}

/// Returns the greatest or the least of `exprs`.
AffineExpr PieceBox::combine(ArrayRef<AffineExpr> exprs, bool isGreatest) {
  AffineExpr best = exprs.front();
  for (AffineExpr expr : exprs.drop_front()) {
    if (index.isNonNegative(isGreatest ? best - expr : expr - best))
      continue;
    if (index.isNonNegative(isGreatest ? expr - best : best - expr)) {
      best = expr;
      continue;
    }
    Value left = index.materialize(best), right = index.materialize(expr);
    OpBuilder &builder = index.getBuilder();
    Value value = isGreatest
                      ? arith::MaxSIOp::create(builder, index.getLoc(), left, right).getResult()
                      : arith::MinSIOp::create(builder, index.getLoc(), left, right).getResult();
    best = index.getSymbol(value);
  }
  return best;
}

void PieceBox::setBounds(unsigned dim, DimBounds bounds) {
  AffineExpr zero = getAffineConstantExpr(0, index.getContext());
  bounds.lower.push_back(zero);
  bounds.upper.push_back(extents[dim]);
  offsets[dim] = combine(bounds.lower, /*isGreatest=*/true);
  AffineExpr extent = index.simplify(combine(bounds.upper, /*isGreatest=*/false) - offsets[dim]);
  extents[dim] = combine({extent, zero}, /*isGreatest=*/true);
}

LogicalResult PieceBox::restrictTo(te::ComputeOp op, unsigned piece, const IRMapping &values) {
  IntegerSet set = op.getPieceSet(piece);
  if (!set)
    return success();
  SmallVector<AffineExpr> symbols;
  for (Value symbol : op.getSymbols())
    symbols.push_back(index.getSize(values.lookupOrDefault(symbol)));
  SmallVector<DimBounds> bounds(extents.size());
  SmallVector<AffineExpr> others;
  SmallVector<bool> equalities;
  for (auto [number, constraint] : llvm::enumerate(set.getConstraints())) {
    std::optional<unsigned> dim = matchBound(constraint, bounds, symbols);
    if (dim && set.isEq(number))
      dim = matchBound(-constraint, bounds, symbols);
    if (dim)
      continue;
    others.push_back(constraint);
    equalities.push_back(set.isEq(number));
  }
  for (auto [dim, own] : llvm::enumerate(bounds))
    if (!own.lower.empty() || !own.upper.empty())
      setBounds(dim, own);
  if (others.empty())
    return success();
  if (op.hasReduction())
    return op.emitOpError("expected piece ") << piece << " of a reduction to be a box";
  rest = IntegerSet::get(set.getNumDims(), set.getNumSymbols(), others, equalities);
  return success();
}

namespace tssa::conversion {

AffineExpr getLiveExpr(IndexBuilder &index, const Schedule &schedule, AffineExpr expr) {
  DenseMap<AffineExpr, AffineExpr> liveExprs;
  for (auto [loop, splitExpr] : schedule.splits)
    liveExprs[getAffineDimExpr(loop, index.getContext())] = splitExpr;
  return index.simplify(index.simplify(expr.replaceDims(schedule.dims)).replace(liveExprs));
}

StringRef getLabel(te::ComputeOp op) { return op.getLabel().value_or(""); }

SmallVector<AffineExpr> getExtents(IndexBuilder &index, te::ComputeOp op, const IRMapping &values) {
  SmallVector<AffineExpr> extents;
  for (OpFoldResult size : mapSizes(op.getIterationDomain(), values))
    extents.push_back(index.getSize(size));
  return extents;
}

FailureOr<ScheduledPiece> schedulePiece(IndexBuilder &index, te::KernelOp kernel, te::ComputeOp op,
                                        unsigned piece, const IRMapping &values,
                                        ArrayRef<IndexSpan> spans) {
  PieceBox box(index, getExtents(index, op, values));
  if (failed(box.restrictTo(op, piece, values)))
    return failure();
  for (auto [dim, span] : llvm::enumerate(spans))
    if (span.offset) {
      box.offsets[dim] = span.offset;
      box.extents[dim] = span.extent;
    }
  FailureOr<Schedule> schedule = layout::readSchedule(kernel.getSchedule(), getLabel(op),
                                                      box.extents, op.getNumParallel(), op);
  if (failed(schedule))
    return failure();
  for (auto [dim, offset] : llvm::zip_equal(schedule->dims, box.offsets))
    dim = dim + offset;
  return ScheduledPiece{std::move(*schedule), std::move(box.extents), box.rest};
}

AffineExpr getProduct(ArrayRef<AffineExpr> factors, MLIRContext *context) {
  AffineExpr product = getAffineConstantExpr(1, context);
  for (AffineExpr factor : factors)
    product = product * factor;
  return product;
}

LogicalResult enterParallelLoops(IndexBuilder &index, const Schedule &schedule, Value number,
                                 AtLoopFn atLoop) {
  OpBuilder &builder = index.getBuilder();
  SmallVector<Value> ivs(schedule.parallel.size());
  for (unsigned i = ivs.size(); i-- > 0;) {
    if (i == 0) {
      ivs[0] = number;
      break;
    }
    Value extent = index.materialize(schedule.loops[schedule.parallel[i]].extent);
    ivs[i] = arith::RemUIOp::create(builder, index.getLoc(), number, extent);
    number = arith::DivUIOp::create(builder, index.getLoc(), number, extent);
  }
  for (auto [loop, info] : llvm::enumerate(schedule.loops))
    index.declareLoop(loop, info.extent);
  for (auto [loop, iv] : llvm::zip_equal(schedule.parallel, ivs)) {
    index.setLoop(loop, iv);
    if (failed(atLoop(loop)))
      return failure();
  }
  return success();
}

void leaveParallelLoops(IndexBuilder &index, const Schedule &schedule) {
  for (unsigned loop : llvm::reverse(schedule.parallel))
    index.dropLoop(loop);
}

AffineExpr getParallelCount(const Schedule &schedule, MLIRContext *context) {
  SmallVector<AffineExpr> extents;
  for (unsigned loop : schedule.parallel)
    extents.push_back(schedule.loops[loop].extent);
  return getProduct(extents, context);
}

} // namespace tssa::conversion
