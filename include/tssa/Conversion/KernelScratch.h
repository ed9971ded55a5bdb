//===- KernelScratch.h - memory of the thread that runs a kernel -*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Boxes that are too large for the stack of a thread lie in memory that the caller of a kernel
/// for the CPU passes to it. It is the last parameter of the kernel's function and the only one
/// whose size is a constant: memref<Nxi8>. Nothing else uses it during the call.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_CONVERSION_KERNELSCRATCH_H
#define TSSA_CONVERSION_KERNELSCRATCH_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinTypes.h"

namespace tssa::conversion {

/// The alignment of this memory and of the boxes in it.
inline constexpr int64_t scratchAlignment = 64;

/// Returns the bytes that the function of a kernel needs, or 0 if it has no such parameter.
inline int64_t getScratchBytes(mlir::func::FuncOp kernel) {
  auto types = kernel.getArgumentTypes();
  auto last = types.empty() ? mlir::MemRefType() : mlir::dyn_cast<mlir::MemRefType>(types.back());
  return last && last.hasStaticShape() ? last.getNumElements() : 0;
}

} // namespace tssa::conversion

#endif // TSSA_CONVERSION_KERNELSCRATCH_H
