//===- Borders.cpp - where the guards of reads fail -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Template/Borders.h"
#include "dialects/layout/Analysis/Access.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

namespace {
/// Evaluates one constraint of a guard, which depends on a parallel dim.
class GuardAlongDim {
public:
  GuardAlongDim(te::ComputeOp op, const Roles &roles, AffineExpr expr, unsigned dim)
      : constraint(expr), point(op.getNumDims(), 0), dim(dim) {
    extent = getExtent(op, roles, dim);
    for (unsigned other = op.getNumParallel(); other < op.getNumDims(); ++other)
      if (expr.isFunctionOfDim(other)) {
        window = other;
        taps = getExtent(op, roles, other);
      }
  }

  /// Finds the positions at both ends. Of a wide border, such as that of a large padding, only a
  /// part is looked at.
  Border find() {
    constexpr int64_t widest = 1024;
    Border border{dim, 0, 0, window, taps, 0};
    while (border.low < std::min(extent, widest) && !holdsForAll(border.low))
      ++border.low;
    while (border.high < std::min(extent - border.low, widest) &&
           !holdsForAll(extent - 1 - border.high))
      ++border.high;
    for (int64_t i = 0; i < border.low; ++i)
      border.failures += countFailures(i);
    for (int64_t i = 0; i < border.high; ++i)
      border.failures += countFailures(extent - 1 - i);
    return border;
  }

private:
  bool holds(int64_t position, int64_t tap) {
    point[dim] = position;
    if (window)
      point[*window] = tap;
    return constraint.evaluate(point).value_or(0) >= 0;
  }
  bool holdsForAll(int64_t position) { return holds(position, 0) && holds(position, taps - 1); }
  /// Returns the number of taps for which the guard fails at `position`. Of many taps, only some
  /// are looked at.
  int64_t countFailures(int64_t position) {
    constexpr int64_t mostTaps = 1024;
    int64_t count = 0, step = llvm::divideCeil(taps, mostTaps);
    for (int64_t tap = 0; tap < taps; tap += step)
      count += holds(position, tap) ? 0 : step;
    return count;
  }

  te::CompiledExpr constraint;
  SmallVector<int64_t> point;
  unsigned dim;
  int64_t extent, taps = 1;
  std::optional<unsigned> window;
};
} // namespace

void layout::addBorders(te::ComputeOp op, const Roles &roles, te::ReadOp read,
                        SmallVectorImpl<Border> &borders) {
  std::optional<IntegerSet> guard = read.getGuard();
  if (!guard || guard->getNumSymbols() > 0)
    return;
  for (AffineExpr expr : guard->getConstraints())
    for (unsigned dim = 0; dim < op.getNumParallel(); ++dim) {
      if (!expr.isFunctionOfDim(dim))
        continue;
      Border found = GuardAlongDim(op, roles, expr, dim).find();
      found.isShared = llvm::any_of(llvm::seq(op.getNumParallel()), [&](unsigned other) {
        return other != dim && expr.isFunctionOfDim(other);
      });
      auto known = llvm::find_if(borders, [&](const Border &border) { return border.dim == dim; });
      if (known == borders.end()) {
        borders.push_back(found);
        continue;
      }
      known->low = std::max(known->low, found.low);
      known->high = std::max(known->high, found.high);
      known->failures += found.failures;
      known->isShared |= found.isShared;
      if (!known->window) {
        known->window = found.window;
        known->taps = found.taps;
      }
    }
}
