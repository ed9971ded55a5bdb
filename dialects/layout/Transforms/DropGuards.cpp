//===- DropGuards.cpp - guards that zero padding makes superfluous -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The constraints of a guard are tried one after the other. Let R be the constraints that are left
/// beside the one that is tried, c. Dropping c changes what is read at the points of the domain
/// where R holds and c fails. For these points it is proved that
/// 1. the index in each dim of the stored tensor is at least 0 and below the size,
/// 2. the conditions under which a cell has an element do not all hold.
/// So the read finds the zero of a cell without an element. Each step keeps the value of the read
/// at each point, whatever was dropped before.
///
/// For a dim of size N that is stored with `pad(k, low, high)`, a read at index e has the cell
/// e + low. The constraint e >= 0 goes if e >= -low on the whole domain, and N - 1 - e >= 0 if
/// e <= N - 1 + high. The proofs look at cells alone, so that it does not matter what a layout does
/// after it has padded.
///
//===----------------------------------------------------------------------===//

#include "dialects/layout/Transforms/DropGuards.h"
#include "dialects/layout/Transforms/KernelStores.h"
#include "dialects/te/Analysis/Emptiness.h"
#include "dialects/te/Analysis/PointDomain.h"
#include "dialects/te/Analysis/ReadFacts.h"
#include "dialects/te/IR/Sizes.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

StringRef layout::findObstacleToDropping(te::ReadOp read) {
  if (!te::isPositiveZero(read.getPadAttr()))
    return "the value where the guard fails is not zero";
  auto expression = cast<te::ExpressionOpInterface>(read->getParentOp());
  bool isStatic = read.getSourceType().hasStaticShape() && read.getSymbols().empty() &&
                  te::getBodyAround(read).symbols.empty() &&
                  llvm::all_of(expression.getIterationDomain(), [](OpFoldResult size) {
                    return te::getConstantSize(size).has_value();
                  });
  return isStatic ? "" : "sizes are dynamic, or indexes are computed";
}

namespace {
class GuardDropper {
public:
  GuardDropper(te::ReadOp read, const TensorLayout &layout)
      : read(read), domain(te::PointDomain::get(read)), cell(read.getMap().getResults()) {
    te::ExpressionBody body = te::getBodyAround(read);
    SmallVector<OpFoldResult> extents =
        cast<te::ExpressionOpInterface>(read->getParentOp()).getIterationDomain();
    for (OpFoldResult size : ArrayRef(extents).take_front(body.numDims))
      sizes.push_back(*te::getConstantSize(size));
    if (body.where)
      where = te::getInequalities(body.where);
    for (AffineExpr size : layout.getPhysicalShape())
      shape.push_back(*getConstant(size));
    GuardedIndex element = layout.getElement(cell).front();
    for (AffineExpr condition : element.guard)
      hasElement.push_back(domain.getSimplifier().simplify(condition));
  }

  unsigned run() {
    IntegerSet guard = *read.getGuard();
    unsigned numBefore = guard.getNumConstraints();
    for (unsigned i = guard.getNumConstraints(); i-- > 0;)
      if (!guard.isEq(i) && isZeroWithout(guard, i))
        guard = removeConstraint(guard, i);
    if (!guard) {
      read.removeGuardAttr();
      read.removePadAttr();
      return numBefore;
    }
    read.setGuard(guard);
    return numBefore - guard.getNumConstraints();
  }

private:
  /// Returns null if no constraint is left.
  static IntegerSet removeConstraint(IntegerSet set, unsigned number) {
    SmallVector<AffineExpr> constraints(set.getConstraints());
    SmallVector<bool> equalities(set.getEqFlags());
    constraints.erase(constraints.begin() + number);
    equalities.erase(equalities.begin() + number);
    if (constraints.empty())
      return {};
    return IntegerSet::get(set.getNumDims(), set.getNumSymbols(), constraints, equalities);
  }

  /// Returns whether each point at which only constraint `number` of `guard` fails reads a cell of
  /// the tensor that has no element.
  bool isZeroWithout(IntegerSet guard, unsigned number) {
    te::Constraints points{-guard.getConstraint(number) - 1};
    if (IntegerSet others = removeConstraint(guard, number))
      llvm::append_range(points, te::getInequalities(others));
    for (auto [index, size] : llvm::zip_equal(cell, shape))
      if (!excludes(points, -index - 1) || !excludes(points, index - size))
        return false;
    return excludes(points, hasElement);
  }

  /// Returns whether it is proved that no point satisfies `points` and `conditions`.
  bool excludes(ArrayRef<AffineExpr> points, ArrayRef<AffineExpr> conditions) {
    te::IndexSimplifier simplifier = domain.getSimplifier();
    te::Constraints all(where);
    for (ArrayRef<AffineExpr> constraints : {conditions, points})
      for (AffineExpr constraint : constraints) {
        if (simplifier.decide(constraint, /*isEquality=*/false) == te::Truth::Never)
          return true;
        simplifier.assumeNonNegative(constraint);
        all.push_back(domain.getSimplifier().simplify(constraint));
      }
    return te::isEmpty(sizes, all).value_or(false);
  }

  te::ReadOp read;
  te::PointDomain domain;
  SmallVector<AffineExpr> cell;
  SmallVector<int64_t> sizes; ///< of the domain
  SmallVector<int64_t> shape; ///< of the stored tensor
  te::Constraints where;      ///< hold at all points
  te::Constraints hasElement; ///< hold together for cells with an element
};
} // namespace

unsigned layout::dropConstraints(te::ReadOp read, const TensorLayout &layout) {
  return GuardDropper(read, layout).run();
}
