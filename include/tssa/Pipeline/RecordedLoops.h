//===- RecordedLoops.h - loops that a record gives to a kernel --*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The loops of a record come from a file that anybody may have written. These functions find out,
/// before a kernel gets them, whether the compiler accepts them and how much code they unroll.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_PIPELINE_RECORDEDLOOPS_H
#define TSSA_PIPELINE_RECORDEDLOOPS_H

#include "dialects/layout/IR/MachineModel.h"
#include "dialects/te/IR/TEOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "llvm/Support/Error.h"

namespace tssa {

/// Checks that the schedule of a record has, besides stores, only ops that give loops to a CPU,
/// without attributes of others, and not too many. Fails with a RecordError.
llvm::Error checkRecordedOps(mlir::tssa::te::KernelOp record);

/// Checks that the schedule of a record of ends has only stores, without attributes of others, and
/// not too many. Fails with a RecordError.
llvm::Error checkRecordedStores(mlir::tssa::te::KernelOp record);

/// Gives `kernel`, which has no schedule, the stores of `record`, a record of its ends.
void addRecordedStores(mlir::tssa::te::KernelOp kernel, mlir::tssa::te::KernelOp record);

/// Applies the stores of `kernel`, which came from a record, by itself. Prints nothing and does not
/// change it. `constants` are as in KernelTask. Fails with a RecordError if they do not fit.
llvm::Error proveStores(mlir::tssa::te::KernelOp kernel, llvm::ArrayRef<unsigned> constants,
                        const mlir::tssa::layout::MachineModel &machine);

/// Gives `kernel`, which has stores only, the loops of `record`, a record of the same task.
void addRecordedLoops(mlir::tssa::te::KernelOp kernel, mlir::tssa::te::KernelOp record);

/// Adds the dialects that `proveLoops` needs.
void addProofDialects(mlir::DialectRegistry &registry);

/// Compiles `kernel`, whose schedule came from a record, by itself up to stage loops. Prints
/// nothing and does not change it. `constants` are as in KernelTask. Fails with a RecordError if
/// the schedule does not fit the kernel, or unrolls more than the compiler itself ever would.
llvm::Error proveLoops(mlir::tssa::te::KernelOp kernel, llvm::ArrayRef<unsigned> constants,
                       const mlir::tssa::layout::MachineModel &machine);

/// The same for a kernel of open sizes with loops that were proved for one with given sizes. How
/// much they unroll is not checked again.
llvm::Error proveOpenLoops(mlir::tssa::te::KernelOp kernel, llvm::ArrayRef<unsigned> constants,
                           const mlir::tssa::layout::MachineModel &machine);

} // namespace tssa

#endif // TSSA_PIPELINE_RECORDEDLOOPS_H
