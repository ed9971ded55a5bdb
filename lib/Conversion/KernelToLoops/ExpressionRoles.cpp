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
        isSequence(roles.isSequence), owners(roles.owners) {}

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
    if (failed(checkRoots()) || failed(findOwners()))
      return failure();
    SmallVector<Operation *> writers(roots.begin(), roots.end());
    llvm::append_range(writers, followers);
    for (auto [member, owner] : owners)
      if (llvm::is_contained(roots, owner) && !target.getThreads() &&
          findRead(owner, 0).contains(member))
        writers.push_back(member);
    return checkResults(kernel, writers);
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

  te::ComputeOp findLabelled(StringRef label) {
    for (auto op : kernel.getBodyBlock().getOps<te::ComputeOp>())
      if (getLabel(op) == label)
        return op;
    return {};
  }

  /// Finds the owners of members. A follower is computed after a loop of a root. A member is
  /// computed at a loop of a root or, if no lanes share its work, of another member, which comes
  /// later in the kernel.
  LogicalResult findOwners() {
    for (Operation &op : kernel.getSchedule().getOps()) {
      if (!isa<layout::ComputeAtOp, layout::ComputeAfterOp>(op))
        continue;
      layout::LoopsOp loops = layout::getLoopsOp(op.getOperand(0));
      te::ComputeOp owner = loops ? findLabelled(loops.getLabel()) : te::ComputeOp();
      auto at = dyn_cast<layout::ComputeAtOp>(op);
      bool mayBeMember = at && !target.getThreads();
      if (!owner || (!mayBeMember && !llvm::is_contained(roots, owner)))
        return op.emitError("expected a loop of '")
               << getLabel(roots.back())
               << "', the expression that is not computed inside of another";
      te::ComputeOp member = at ? findLabelled(at.getLabel()) : te::ComputeOp();
      if (!member)
        continue;
      if (!member->isBeforeInBlock(owner))
        return op.emitError("expected a loop of an expression after '")
               << getLabel(member) << "', since '" << getLabel(owner) << "' comes before it";
      owners[member] = owner;
    }
    return success();
  }

  te::KernelOp kernel;
  KernelTarget &target;
  SmallVector<te::ComputeOp> &roots, &followers;
  bool &isSequence;
  llvm::DenseMap<Operation *, te::ComputeOp> &owners;
};
} // namespace

namespace tssa::conversion {

bool ExpressionRoles::isInside(Operation *op, te::ComputeOp owner) const {
  while (op && op != owner)
    op = owners.lookup(op);
  return op;
}

bool ExpressionRoles::isReadOutside(te::ComputeOp member, te::ComputeOp owner) const {
  return llvm::any_of(member->getUsers(), [&](Operation *user) {
    auto reader = user->getParentOfType<te::ComputeOp>();
    return reader && !isInside(reader, owner);
  });
}

DenseSet<Operation *> findRead(te::ComputeOp op, unsigned piece) {
  DenseSet<Operation *> found;
  SmallVector<Region *> regions{&op.getPieces()[piece], &op.getEpilogue()};
  auto visit = [&](te::ReadOp read) {
    auto source = read.getSource().getDefiningOp<te::ComputeOp>();
    if (!source || !found.insert(source).second)
      return;
    for (Region &region : source->getRegions())
      regions.push_back(&region);
  };
  while (!regions.empty())
    regions.pop_back_val()->walk(visit);
  return found;
}

LogicalResult findRoles(te::KernelOp kernel, KernelTarget &target, ExpressionRoles &roles) {
  return RoleFinder(kernel, target, roles).find();
}

} // namespace tssa::conversion
