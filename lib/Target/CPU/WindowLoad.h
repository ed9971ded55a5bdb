//===- WindowLoad.h - lanes out of a few consecutive vectors -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads whose lanes lie close together, in the same places for every vector, need no
/// gather: the memory from the first to the last element that is read is loaded as
/// vectors, and a shuffle by constants puts the elements in their lanes.
///
///   | address                 | lanes read          |                              |
///   |-------------------------|---------------------|------------------------------|
///   | d0 * 2 + lane * 2       | 0 2 4 6 ...         | every other one: two vectors |
///   | (lane floordiv 4) * 4   | 0 0 0 0 4 4 4 4 ... | groups of four: one vector   |
///
/// Nothing outside of these elements is touched.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_TARGET_CPU_WINDOWLOAD_H
#define TSSA_LIB_TARGET_CPU_WINDOWLOAD_H

#include "tssa/Conversion/KernelTarget.h"

namespace tssa::cpu {

/// Loads like KernelTarget::buildLoad; null where a gather is needed: lanes far apart, in
/// places that change with a loop, or under a mask of which it is not known which lanes
/// it keeps.
mlir::Value buildWindowLoad(conversion::IndexBuilder &index, const conversion::LaneAccess &access,
                            mlir::Value mask, mlir::Value pad);

} // namespace tssa::cpu

#endif // TSSA_LIB_TARGET_CPU_WINDOWLOAD_H
