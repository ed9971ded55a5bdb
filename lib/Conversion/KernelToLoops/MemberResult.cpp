//===- MemberResult.cpp - members that the kernel returns ------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemberResult.h"

using namespace mlir;
using namespace mlir::tssa;

namespace tssa::conversion {

LogicalResult checkReturned(MemberBoxes &boxes, const KernelFunction &function,
                            const ExpressionRoles &roles, const PlacedMember &member,
                            ArrayRef<MemberDim> box) {
  te::ComputeOp op = member.op, root = member.reads.root;
  if (llvm::none_of(op.getResults(), [&](Value result) { return function.findOut(result); }))
    return success();
  if (roles.isReadOutside(op, root))
    return member.at.op->emitError("expected only '")
           << getLabel(root) << "', and what is computed for it, to read '" << getLabel(op)
           << "', which the kernel returns";
  if (root.getPieces().size() == 1 && boxes.arePartition(op, box))
    return success();
  return member.at.op->emitError("expected each element of '")
         << getLabel(op)
         << "', which the kernel returns, to be read in exactly one iteration of this "
         << describeKind(member.reads.schedule.loops[member.at.loop]) << " loop of '"
         << getLabel(root) << "'";
}

} // namespace tssa::conversion
