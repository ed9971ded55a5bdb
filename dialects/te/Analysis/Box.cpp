//===- Box.cpp - the part of an expression that an iteration reads -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Analysis/Box.h"
#include "dialects/te/Analysis/WindowIndex.h"
#include "dialects/te/IR/Sizes.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

namespace {
/// Finds the least and the greatest value of parts of an index expression.
class IntervalFinder {
public:
  IntervalFinder(ArrayRef<IndexInterval> dims, IndexSimplifier &simplifier)
      : dims(dims), simplifier(simplifier) {}

  IndexInterval find(AffineExpr expr) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      return dims[dim.getPosition()];
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    if (!binary)
      return {expr, expr, {}, {}};
    IndexInterval lhs = find(binary.getLHS()), rhs = find(binary.getRHS());
    if (expr.getKind() == AffineExprKind::Mod && rhs && rhs.least == rhs.greatest)
      return findRest(lhs, rhs.least);
    if (!lhs || !rhs)
      return {};
    if (expr.getKind() == AffineExprKind::Add)
      return make(lhs.least + rhs.least, lhs.greatest + rhs.greatest);
    if (rhs.least != rhs.greatest && lhs.least == lhs.greatest)
      std::swap(lhs, rhs);
    if (rhs.least != rhs.greatest)
      return {};
    AffineExpr factor = rhs.least;
    if (expr.getKind() == AffineExprKind::FloorDiv)
      return make(lhs.least.floorDiv(factor), lhs.greatest.floorDiv(factor));
    if (expr.getKind() == AffineExprKind::CeilDiv)
      return make(lhs.least.ceilDiv(factor), lhs.greatest.ceilDiv(factor));
    return findProduct(lhs, factor);
  }

private:
  IndexInterval make(AffineExpr least, AffineExpr greatest) {
    return {simplifier.simplify(least), simplifier.simplify(greatest), {}, {}};
  }

  IndexInterval findProduct(IndexInterval values, AffineExpr factor) {
    if (values.least == values.greatest || simplifier.isNonNegative(factor))
      return make(values.least * factor, values.greatest * factor);
    if (simplifier.isNonNegative(-factor))
      return make(values.greatest * factor, values.least * factor);
    return {};
  }

  /// Within one multiple of the divisor, remainders grow with the values.
  IndexInterval findRest(IndexInterval values, AffineExpr divisor) {
    if (values && (values.least == values.greatest ||
                   simplifier.simplify(values.least.floorDiv(divisor)) ==
                       simplifier.simplify(values.greatest.floorDiv(divisor))))
      return make(values.least % divisor, values.greatest % divisor);
    return make(getAffineConstantExpr(0, divisor.getContext()), divisor - 1);
  }

  ArrayRef<IndexInterval> dims;
  IndexSimplifier &simplifier;
};
} // namespace

IndexInterval te::getValues(AffineExpr expr, ArrayRef<IndexInterval> dims,
                            IndexSimplifier &simplifier) {
  return IntervalFinder(dims, simplifier).find(expr);
}

IndexInterval te::unite(IndexInterval lhs, IndexInterval rhs, IndexSimplifier &simplifier) {
  if (!lhs || !rhs)
    return {};
  auto getGreater = [&](AffineExpr a, AffineExpr b) {
    if (simplifier.isNonNegative(simplifier.simplify(a - b)))
      return a;
    return simplifier.isNonNegative(simplifier.simplify(b - a)) ? b : AffineExpr();
  };
  AffineExpr greatest = getGreater(lhs.greatest, rhs.greatest);
  AffineExpr greaterStart = getGreater(lhs.least, rhs.least);
  if (!greatest || !greaterStart)
    return {};
  return {greaterStart == lhs.least ? rhs.least : lhs.least, greatest,
          lhs.atLeast == rhs.atLeast ? lhs.atLeast : AffineExpr(),
          lhs.atMost == rhs.atMost ? lhs.atMost : AffineExpr()};
}

AffineExpr BoxFinder::getSize(OpFoldResult size) const {
  if (std::optional<int64_t> constant = getConstantSize(size))
    return getAffineConstantExpr(*constant, root.op->getContext());
  return values.lookup(cast<Value>(size));
}

bool BoxFinder::counts(ReadOp read) const {
  auto reader = read->getParentOfType<ComputeOp>();
  return reader == root.op ? llvm::is_contained(root.regions, read->getParentRegion())
                           : members.contains(reader);
}

SmallVector<IndexInterval> BoxFinder::getDims(ComputeOp reader) {
  SmallVector<IndexInterval> dims = getBox(reader);
  dims.resize(reader.getNumDims());
  for (auto [dim, size] : llvm::zip_equal(dims, reader.getIterationDomain()))
    if (AffineExpr extent = dim ? AffineExpr() : getSize(size))
      dim = {getAffineConstantExpr(0, extent.getContext()), extent - 1, {}, {}};
  return dims;
}

std::optional<AffineExpr> BoxFinder::getKnown(ReadOp read, AffineExpr expr) {
  SmallVector<AffineExpr> symbols;
  for (auto [position, symbol] : llvm::enumerate(read.getSymbols())) {
    symbols.push_back(values.lookup(symbol));
    if (!symbols.back() && expr.isFunctionOfSymbol(position))
      return std::nullopt;
    if (!symbols.back())
      symbols.back() = getAffineConstantExpr(0, expr.getContext());
  }
  expr = expr.replaceSymbols(symbols);
  return read->getParentOfType<ComputeOp>() == root.op ? root.toLoops(expr) : expr;
}

void BoxFinder::applyGuard(ReadOp read, AffineExpr dim, ArrayRef<IndexInterval> dims,
                           IndexInterval &interval) {
  if (!read.getGuard() || !interval || interval.least == interval.greatest)
    return;
  for (auto [number, constraint] : llvm::enumerate(read.getGuard()->getConstraints())) {
    std::optional<int64_t> factor = findFactor(constraint, dim, read.getGuard()->getNumDims(),
                                               read.getGuard()->getNumSymbols());
    if (!factor || *factor == 0 || read.getGuard()->isEq(number))
      continue;
    std::optional<AffineExpr> rest =
        getKnown(read, constraint.replace(dim, getAffineConstantExpr(0, dim.getContext())));
    AffineExpr most = rest ? getValues(*rest, dims, simplifier).greatest : AffineExpr();
    if (!most)
      continue;
    AffineExpr bound =
        simplifier.simplify(*factor < 0 ? most.floorDiv(-*factor) : -most.floorDiv(*factor));
    if (*factor < 0 && !simplifier.isNonNegative(simplifier.simplify(bound - interval.greatest)))
      interval.atMost = bound;
    if (*factor > 0 && !simplifier.isNonNegative(simplifier.simplify(interval.least - bound)))
      interval.atLeast = bound;
  }
}

SmallVector<IndexInterval> BoxFinder::getIndexes(ReadOp read) {
  auto reader = read->getParentOfType<ComputeOp>();
  SmallVector<IndexInterval> indexes;
  SmallVector<IndexInterval> dims = reader == root.op ? root.loops : getDims(reader);
  for (AffineExpr expr : read.getMap().getResults()) {
    std::optional<AffineExpr> known = getKnown(read, expr);
    indexes.push_back(known ? getValues(*known, dims, simplifier) : IndexInterval());
    if (isa<AffineDimExpr>(expr))
      applyGuard(read, expr, dims, indexes.back());
  }
  return indexes;
}

bool BoxFinder::isWhole(IndexInterval interval, OpFoldResult size) {
  AffineExpr extent = getSize(size);
  if (interval && (interval.atLeast || interval.atMost))
    return false;
  if (!interval || !extent || interval.least == interval.greatest)
    return !interval;
  return simplifier.isNonNegative(simplifier.simplify(-interval.least)) &&
         simplifier.isNonNegative(simplifier.simplify(interval.greatest + 1 - extent));
}

SmallVector<IndexInterval> BoxFinder::getBoxReadBy(ComputeOp member,
                                                   function_ref<bool(ComputeOp)> isReader) {
  SmallVector<IndexInterval> box(member.getNumParallel());
  bool isFirst = true;
  for (Operation *user : member->getUsers()) {
    auto read = dyn_cast<ReadOp>(user);
    if (!read || !counts(read) || !isReader(read->getParentOfType<ComputeOp>()))
      continue;
    for (auto [known, indexes] : llvm::zip_equal(box, getIndexes(read)))
      known = isFirst ? indexes : unite(known, indexes, simplifier);
    isFirst = false;
  }
  for (auto [dim, size] : llvm::zip(box, member.getIterationDomain()))
    if (isWhole(dim, size))
      dim = {};
  return box;
}

SmallVector<IndexInterval> BoxFinder::getBox(ComputeOp member) {
  if (auto known = boxes.find(member); known != boxes.end())
    return known->second;
  SmallVector<IndexInterval> box = getBoxReadBy(member, [](ComputeOp) { return true; });
  boxes[member] = box;
  return box;
}
