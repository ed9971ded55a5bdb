//===- KernelFaults.h - faults that the emulator must find -----*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_TEST_UNIT_TARGET_KERNELFAULTS_H
#define TSSA_TEST_UNIT_TARGET_KERNELFAULTS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace tssa {

/// A fault that can be made in a kernel in LLVM and NVVM.
struct KernelFault {
  llvm::StringLiteral name;
  /// Makes the fault at the op. Returns false if it does not apply there.
  bool (*apply)(mlir::Operation *op);
};

llvm::ArrayRef<KernelFault> getKernelFaults();

/// Returns the `index`th op of a kernel to which the fault applies, or null if there are not as
/// many.
mlir::Operation *findFaultOp(mlir::LLVM::LLVMFuncOp kernel, const KernelFault &fault,
                             unsigned index);

/// Inserts a trap before `op`.
void putTrap(mlir::Operation *op);

} // namespace tssa

#endif // TSSA_TEST_UNIT_TARGET_KERNELFAULTS_H
