//===- WindowLoad.h - vector loads that need no gather ----------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Vector loads whose lanes lie close together, at the same offsets for every vector, need no
/// gather. The window of memory from the first to the last element that is read is loaded as
/// vectors, and a shuffle by constants moves the elements to their lanes:
///
///   | address                 | offsets of the lanes | loaded as   |
///   |-------------------------|----------------------|-------------|
///   | d0 * 2 + lane * 2       | 0 2 4 6 ...          | two vectors |
///   | (lane floordiv 4) * 4   | 0 0 0 0 4 4 4 4 ...  | one vector  |
///
/// Nothing outside of the window is accessed.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_TARGET_CPU_WINDOWLOAD_H
#define TSSA_LIB_TARGET_CPU_WINDOWLOAD_H

#include "tssa/Conversion/KernelTarget.h"

namespace tssa::cpu {

/// Builds a load as KernelTarget::buildLoad does. Returns null if a gather is needed: lanes are far
/// apart, their offsets change with a loop, or `mask` says what cannot be said of places in the
/// window. Places are masked as the lanes are that read them: the first ones or, where the offsets
/// grow by a stride, those at which an index expression is not negative.
mlir::Value buildWindowLoad(conversion::IndexBuilder &index, const conversion::LaneAccess &access,
                            mlir::Value mask, mlir::Value pad);

/// Whether the first `count` lanes of `access` are close together, so that no gather is needed.
bool hasWindow(conversion::IndexBuilder &index, const conversion::LaneAccess &access,
               int64_t count);

} // namespace tssa::cpu

#endif // TSSA_LIB_TARGET_CPU_WINDOWLOAD_H
