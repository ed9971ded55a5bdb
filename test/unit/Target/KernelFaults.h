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

/// A mistake that a kernel in LLVM and NVVM may have.
struct KernelFault {
  llvm::StringLiteral name;
  /// Makes the mistake at the op, false when it is not one that it can be made at.
  bool (*apply)(mlir::Operation *op);
};

llvm::ArrayRef<KernelFault> getKernelFaults();

/// The `index`th op of a kernel at which the fault can be made; null when there are not
/// as many.
mlir::Operation *findPlace(mlir::LLVM::LLVMFuncOp kernel, const KernelFault &fault, unsigned index);

/// Makes a kernel that comes to `place` give up.
void putTrap(mlir::Operation *place);

} // namespace tssa

#endif // TSSA_TEST_UNIT_TARGET_KERNELFAULTS_H
