//===- UpdateReads.h - the reads of an update's base ----------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_ANALYSIS_UPDATEREADS_H
#define DIALECTS_TE_ANALYSIS_UPDATEREADS_H

#include "dialects/te/IR/TEOps.h"

namespace mlir::tssa::te {

/// Returns whether the only uses of `base`, besides being the base of `update`, are reads in the
/// body of `update` of the element that the same point writes, and that no other point writes.
/// The update can then be done in place.
bool readsOnlyTarget(UpdateOp update, Value base);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_ANALYSIS_UPDATEREADS_H
