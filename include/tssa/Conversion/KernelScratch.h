//===- KernelScratch.h - memory of the thread that runs a kernel -*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Boxes that are too large for the stack of a thread lie in memory that the caller of a kernel
/// for the CPU passes to it. It is the last parameter of the kernel's function: memref<Nxi8>. If
/// only a run knows the sizes of a box, it is memref<?xi8>, and the function `@<kernel>.scratch`
/// returns its bytes; its parameters are those of the kernel that are no tensors. Nothing else
/// uses the memory during the call.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_CONVERSION_KERNELSCRATCH_H
#define TSSA_CONVERSION_KERNELSCRATCH_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinTypes.h"

namespace tssa::conversion {

/// The alignment of this memory and of the boxes in it.
inline constexpr int64_t scratchAlignment = 64;

/// Returns the type of this memory, or null if the function of a kernel gets none.
inline mlir::MemRefType getScratchType(mlir::func::FuncOp kernel) {
  auto types = kernel.getArgumentTypes();
  auto last = types.empty() ? mlir::MemRefType() : mlir::dyn_cast<mlir::MemRefType>(types.back());
  return last && last.getElementType().isInteger(8) ? last : mlir::MemRefType();
}

/// Returns the bytes that the function of a kernel needs, as far as they are constant.
inline int64_t getScratchBytes(mlir::func::FuncOp kernel) {
  mlir::MemRefType type = getScratchType(kernel);
  return type && type.hasStaticShape() ? type.getNumElements() : 0;
}

/// Returns the name of the function that returns the bytes that `kernel` needs.
inline std::string getScratchName(llvm::StringRef kernel) { return (kernel + ".scratch").str(); }

} // namespace tssa::conversion

#endif // TSSA_CONVERSION_KERNELSCRATCH_H
