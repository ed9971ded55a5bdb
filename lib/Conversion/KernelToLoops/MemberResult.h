//===- MemberResult.h - members that the kernel returns --------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_CONVERSION_KERNELTOLOOPS_MEMBERRESULT_H
#define LIB_CONVERSION_KERNELTOLOOPS_MEMBERRESULT_H

#include "ExpressionRoles.h"
#include "MemberScratch.h"

namespace tssa::conversion {

/// If the kernel returns a result of `member`, which is computed at a loop of a root, checks that
/// each element is computed by exactly one iteration: the iterations then write their boxes to the
/// result itself. In a halo, two threads would write the same elements.
mlir::LogicalResult checkReturned(MemberBoxes &boxes, const KernelFunction &function,
                                  const ExpressionRoles &roles, const PlacedMember &member,
                                  llvm::ArrayRef<MemberDim> box);

} // namespace tssa::conversion

#endif // LIB_CONVERSION_KERNELTOLOOPS_MEMBERRESULT_H
