//===- Window.h - tensors in the memory of larger ones ---------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_REFERENCE_WINDOW_H
#define TSSA_REFERENCE_WINDOW_H

#include "dialects/te/IR/TEOps.h"
#include "tssa/Reference/HostTensor.h"

namespace tssa::reference {

/// The byte that fills memory before it is written. As a float of any width it makes a NaN. It does
/// not make a valid size or index.
inline constexpr uint8_t garbage = 0xFF;

/// Returns the sizes of the larger tensor in which a tensor of sizes `shape` lies.
llvm::SmallVector<int64_t> getWholeShape(llvm::ArrayRef<int64_t> shape,
                                         mlir::tssa::te::WindowAttr window);

/// Copies `tensor` into `whole`, a larger tensor of the same element type, so that its first
/// element has the indexes `at`.
void putInto(const HostTensor &tensor, llvm::ArrayRef<int64_t> at, HostTensor &whole);

/// Returns the larger tensor in which `tensor` lies, with garbage everywhere else.
llvm::Expected<HostTensor> makeWhole(const HostTensor &tensor, mlir::tssa::te::WindowAttr window);

/// Returns the tensor of sizes `shape` that lies in `whole`.
llvm::Expected<HostTensor> takeFromWindow(const HostTensor &whole, llvm::ArrayRef<int64_t> shape,
                                          mlir::tssa::te::WindowAttr window);

} // namespace tssa::reference

#endif // TSSA_REFERENCE_WINDOW_H
