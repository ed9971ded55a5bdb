//===- BoxElements.h - the threads of a block fill a box -------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What the caches of operands and the factors of atoms share: the threads of a block compute the
/// elements of a box one after the other and store them in shared memory.
///
//===----------------------------------------------------------------------===//
#ifndef LIB_CONVERSION_KERNELTOLOOPS_BOXELEMENTS_H
#define LIB_CONVERSION_KERNELTOLOOPS_BOXELEMENTS_H

#include "tssa/Conversion/IndexBuilder.h"
#include "tssa/Conversion/KernelTarget.h"
#include "tssa/Conversion/TileEmitter.h"

namespace tssa::conversion {

/// Returns the number of elements of the box.
int64_t countElements(const CacheTile &tile);

/// Builds a loop in which the threads of a block share `total` elements: neighbouring threads get
/// neighbouring numbers. All threads run the same constant number of iterations, so the loop can be
/// unrolled. `build` builds the code for the element with the number that it gets.
void buildSharedElements(IndexBuilder &index, BlockThreads &threads, int64_t total,
                         llvm::function_ref<void(mlir::Value number)> build);

/// Stores what `compute` builds, or a zero of `type` if `exists` does not hold. An element always
/// exists if `exists` is null.
void buildElementOrZero(IndexBuilder &index, mlir::Value exists, mlir::Type type,
                        llvm::function_ref<mlir::Value()> compute,
                        llvm::function_ref<void(mlir::Value)> store);

} // namespace tssa::conversion

#endif // LIB_CONVERSION_KERNELTOLOOPS_BOXELEMENTS_H
