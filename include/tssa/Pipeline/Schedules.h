//===- Schedules.h - schedules of kernels in files --------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A file of schedules is a module of kernels as stage te leaves them, with their logical types.
/// Each has its schedule: the stores, and the loops of the kernel that they lead to. A schedule is
/// for every kernel with the same key, in any program.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_PIPELINE_SCHEDULES_H
#define TSSA_PIPELINE_SCHEDULES_H

#include "dialects/te/IR/TEOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tssa {

/// Returns the key of a kernel: the SHA-256, in hexadecimal digits, of its text without name,
/// schedule and locations. Kernels with equal keys compute the same.
std::string getKernelKey(mlir::tssa::te::KernelOp kernel);

/// Returns the text of a kernel without locations and with a name that all kernels share.
std::string getKernelText(mlir::tssa::te::KernelOp kernel);

/// The kernels with one key, and their launches in program order.
struct KernelGroup {
  llvm::SmallVector<mlir::tssa::te::KernelOp, 1> kernels;
  llvm::SmallVector<mlir::tssa::te::LaunchOp> launches;
};

/// Returns the kernels of `module` by key.
llvm::StringMap<KernelGroup> groupKernels(mlir::ModuleOp module);

/// Prints the kernels of `logical`, the module when the stores of tensors were chosen and none
/// applied, with the loops and the stores of constants that the kernels of the same names have in
/// `scheduled`: the module when these stores were chosen, or for devices after stage layout.
void printSchedules(mlir::ModuleOp logical, mlir::ModuleOp scheduled, llvm::raw_ostream &stream);

} // namespace tssa

#endif // TSSA_PIPELINE_SCHEDULES_H
