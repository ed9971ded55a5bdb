//===- ThreadScratch.h - boxes in memory of a thread ------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_TARGET_CPU_THREADSCRATCH_H
#define LIB_TARGET_CPU_THREADSCRATCH_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinTypes.h"

namespace tssa::cpu {

/// Allocates the boxes of one kernel: on the stack while they fit (layout::scratchBytes), further
/// ones, and those whose sizes only a run knows, in memory that the kernel gets as its last
/// parameter (Conversion/KernelScratch.h).
class ThreadScratch {
public:
  /// `size` is the number of elements, or null if that of `type` is constant.
  mlir::Value allocate(mlir::OpBuilder &builder, mlir::Location loc, mlir::func::FuncOp kernel,
                       mlir::MemRefType type, mlir::Value size);
  /// Sets the size of the parameter, if there is one, or creates the function that returns it.
  void finish(mlir::func::FuncOp kernel);

private:
  int64_t stackBytes = 0;
  mlir::Value passedBytes; ///< in the entry block of the kernel; null if nothing is passed

  mlir::Value allocatePassed(mlir::OpBuilder &builder, mlir::Location loc,
                             mlir::func::FuncOp kernel, mlir::MemRefType type, mlir::Value size);
};

} // namespace tssa::cpu

#endif // LIB_TARGET_CPU_THREADSCRATCH_H
