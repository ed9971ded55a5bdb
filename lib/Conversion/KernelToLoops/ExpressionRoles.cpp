//===- ExpressionRoles.cpp - which loops compute an expression -----------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpressionRoles.h"
#include "KernelFunction.h"
#include "PieceSchedule.h"
#include "dialects/layout/IR/LayoutOps.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace ::tssa::conversion;

namespace {
class RoleFinder {
public:
  RoleFinder(te::KernelOp kernel, KernelTarget &target, ExpressionRoles &roles)
      : kernel(kernel), target(target), roots(roles.roots), followers(roles.followers),
        isSequence(roles.isSequence) {}

  /// Finds the roots: the expressions that are not computed at a loop of another expression, or
  /// after one.
  LogicalResult find() {
    llvm::StringSet<> inner, after;
    for (auto op : kernel.getSchedule().getOps<layout::ComputeAtOp>())
      inner.insert(op.getLabel());
    for (auto op : kernel.getSchedule().getOps<layout::ComputeAfterOp>())
      after.insert(op.getLabel());
    for (auto op : kernel.getBodyBlock().getOps<te::ComputeOp>())
      if (after.contains(getLabel(op)))
        followers.push_back(op);
      else if (!inner.contains(getLabel(op)))
        roots.push_back(op);
    if (roots.empty())
      return kernel.emitError("expected an expression in the kernel");
    SmallVector<Operation *> writers(roots.begin(), roots.end());
    llvm::append_range(writers, followers);
    return failed(checkRoots()) || failed(checkResults(kernel, writers)) ? failure()
                                                                         : checkLoopsAreOfRoots();
  }

private:
  /// Checks that the kernel returns each root and each follower, and finds out whether another root
  /// reads one. A device could not do that: its blocks do not wait for each other.
  LogicalResult checkRoots() {
    for (te::ComputeOp root : roots) {
      bool isReturned = false;
      for (Value result : root.getResults()) {
        te::ComputeOp reader = findReader(result);
        bool leaves = isResult(result);
        if (reader && (!leaves || target.getThreads()))
          return kernel.emitError("expected '")
                 << getLabel(root) << "' to be computed at a loop of '" << getLabel(reader)
                 << "', which reads it";
        isSequence |= static_cast<bool>(reader);
        isReturned |= leaves;
      }
      if (!isReturned && roots.size() > 1)
        return kernel.emitError("expected a result of '")
               << getLabel(root) << "' to be returned, since no other expression reads it";
    }
    for (te::ComputeOp follower : followers)
      for (Value result : follower.getResults()) {
        isSequence |= static_cast<bool>(findReader(result));
        if (!isResult(result))
          return kernel.emitError("expected the results of '")
                 << getLabel(follower) << "' to be returned, since it is computed after a loop";
      }
    return success();
  }

  static bool isResult(Value value) {
    return llvm::any_of(value.getUsers(), llvm::IsaPred<te::ReturnOp>);
  }

  /// Returns an expression that reads `value` and is no follower, or null. What followers read is
  /// checked with their indexes (getFollowerSpans).
  te::ComputeOp findReader(Value value) {
    for (Operation *user : value.getUsers())
      if (auto by = user->getParentOfType<te::ComputeOp>();
          by && !llvm::is_contained(followers, by))
        return by;
    return {};
  }

  /// Checks that every expression but the roots is computed at a loop of a root or after one.
  LogicalResult checkLoopsAreOfRoots() {
    for (Operation &op : kernel.getSchedule().getOps()) {
      if (!isa<layout::ComputeAtOp, layout::ComputeAfterOp>(op))
        continue;
      layout::LoopsOp loops = layout::getLoopsOp(op.getOperand(0));
      if (!loops || llvm::none_of(roots, [&](te::ComputeOp root) {
            return getLabel(root) == loops.getLabel();
          }))
        return op.emitError("expected a loop of '")
               << getLabel(roots.back())
               << "', the expression that is not computed inside of another";
    }
    return success();
  }

  te::KernelOp kernel;
  KernelTarget &target;
  SmallVector<te::ComputeOp> &roots, &followers;
  bool &isSequence;
};
} // namespace

namespace tssa::conversion {

LogicalResult findRoles(te::KernelOp kernel, KernelTarget &target, ExpressionRoles &roles) {
  return RoleFinder(kernel, target, roles).find();
}

} // namespace tssa::conversion
