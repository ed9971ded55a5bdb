//===- GuardedPoints.cpp - how many points guards leave -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Analysis/GuardedPoints.h"
#include "dialects/te/IR/CompiledExpr.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IntegerSet.h"
#include "llvm/ADT/EquivalenceClasses.h"

#include <map>

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

/// More points of the dims of a constraint are not counted.
static constexpr int64_t mostPoints = int64_t(1) << 20;

namespace {
/// Constraints that share dims, and the dims.
struct Group {
  SmallVector<unsigned> dims;
  SmallVector<std::pair<CompiledExpr, bool>> constraints; ///< and whether each is an equality
};
} // namespace

/// Returns the dims on which `expr` depends.
static SmallVector<unsigned> findDims(AffineExpr expr, unsigned numDims) {
  SmallVector<unsigned> dims;
  for (unsigned dim = 0; dim < numDims; ++dim)
    if (expr.isFunctionOfDim(dim))
      dims.push_back(dim);
  return dims;
}

/// Returns the share of the points of the dims of `group` at which all of its constraints hold.
static double countShare(const Group &group, ArrayRef<int64_t> sizes) {
  int64_t count = 1;
  for (unsigned dim : group.dims) {
    if (sizes[dim] < 1 || sizes[dim] > mostPoints || count > mostPoints / sizes[dim])
      return 0;
    count *= sizes[dim];
  }
  SmallVector<int64_t> point(sizes.size(), 0);
  int64_t holding = 0;
  for (int64_t number = 0; number < count; ++number) {
    int64_t rest = number;
    for (unsigned dim : group.dims) {
      point[dim] = rest % sizes[dim];
      rest /= sizes[dim];
    }
    holding += llvm::all_of(group.constraints, [&](auto &constraint) {
      int64_t value = constraint.first.evaluate(point).value_or(-1);
      return constraint.second ? value == 0 : value >= 0;
    });
  }
  return static_cast<double>(holding) / static_cast<double>(count);
}

/// Returns the share of the points of a domain with these sizes at which all of `guards` hold.
static double countShare(ArrayRef<IntegerSet> guards, ArrayRef<int64_t> sizes) {
  llvm::EquivalenceClasses<unsigned> classes;
  auto forEach = [&](auto work) {
    for (IntegerSet guard : guards)
      for (auto [expr, isEquality] : llvm::zip_equal(guard.getConstraints(), guard.getEqFlags()))
        if (SmallVector<unsigned> dims = findDims(expr, sizes.size()); !dims.empty())
          work(expr, isEquality, dims);
  };
  forEach([&](AffineExpr, bool, ArrayRef<unsigned> dims) {
    for (unsigned dim : dims)
      classes.unionSets(dims.front(), dim);
  });
  std::map<unsigned, Group> groups; // by leader
  for (unsigned dim = 0; dim < sizes.size(); ++dim)
    if (auto leader = classes.findLeader(dim); leader != classes.member_end())
      groups[*leader].dims.push_back(dim);
  forEach([&](AffineExpr expr, bool isEquality, ArrayRef<unsigned> dims) {
    groups[classes.getLeaderValue(dims.front())].constraints.push_back(
        {CompiledExpr(expr), isEquality});
  });
  double share = 1;
  for (auto &[leader, group] : groups)
    share *= countShare(group, sizes);
  return share;
}

double te::getGuardedShare(ExpressionOpInterface expression) {
  SmallVector<IntegerSet> guards;
  expression->walk([&](ReadOp read) {
    if (std::optional<IntegerSet> guard = read.getGuard())
      if (!llvm::is_contained(guards, *guard))
        guards.push_back(*guard);
  });
  if (guards.empty())
    return 1;
  SmallVector<int64_t> sizes;
  for (OpFoldResult size : expression.getIterationDomain()) {
    std::optional<int64_t> constant = getConstantIntValue(size);
    if (!constant)
      return 0;
    sizes.push_back(*constant);
  }
  for (IntegerSet guard : guards)
    if (guard.getNumSymbols() > 0 || guard.getNumDims() > sizes.size())
      return 0;
  return countShare(guards, sizes);
}
