//===- UpdateReads.h - what an update reads of its base -------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_ANALYSIS_UPDATEREADS_H
#define DIALECTS_TE_ANALYSIS_UPDATEREADS_H

#include "dialects/te/IR/TEOps.h"

namespace mlir::tssa::te {

/// Whether every use of `base` but as that of `update` is a read, in its body, of the
/// element that the same point, and no other one, writes: then it can be done in place.
bool readsOnlyTarget(UpdateOp update, Value base);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_ANALYSIS_UPDATEREADS_H
