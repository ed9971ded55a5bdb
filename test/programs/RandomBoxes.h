//===- RandomBoxes.h - members computed at random loops ------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TEST_PROGRAMS_RANDOMBOXES_H
#define TEST_PROGRAMS_RANDOMBOXES_H

#include "mlir/IR/BuiltinOps.h"

namespace tssa::reference {

/// Replaces the schedules of kernels of `module` in which members are computed at loops of a root:
/// the root gets random loops, and each member is computed at one of them. Some kernels then return
/// a member too. A box may be refused when the schedule is applied. Returns the number of kernels.
unsigned addRandomBoxes(mlir::ModuleOp module, uint64_t seed);

} // namespace tssa::reference

#endif // TEST_PROGRAMS_RANDOMBOXES_H
