//===- EmulateAMX.h - registers of matrices in memory -----------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_TARGET_CPU_EMULATEAMX_H
#define LIB_TARGET_CPU_EMULATEAMX_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace tssa::cpu {

/// Returns the feature of a CPU that has the instruction; empty if it is none of AMX.
llvm::StringRef findAMXFeature(llvm::StringRef intrinsic);

/// Replaces `calls`, the instructions of AMX in `func`, by loops over registers in memory, which
/// compute what the Intel SDM says of them; bf16 that are not normal count, though.
void emulateAMX(mlir::func::FuncOp func, llvm::ArrayRef<mlir::LLVM::CallIntrinsicOp> calls);

} // namespace tssa::cpu

#endif // LIB_TARGET_CPU_EMULATEAMX_H
