//===- Transposition.h - strided vectors accessed as rows ------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A vector whose lanes are far apart in memory needs a gather or a scatter, which accesses one
/// element at a time. If the vectors of a tile are adjacent in memory, lane by lane, each lane is
/// loaded or stored as one run of elements instead, and the tile is transposed in registers:
///
///   | address                 | vectors of the tile | accesses                        |
///   |-------------------------|---------------------|---------------------------------|
///   | lane * 49 + row         | rows 0 to 7         | one of 8 elements for each lane |
///   | lane * 49 + row         | rows 0 to 13        | two of 8 elements: rows 0, 6    |
///   | lane * 49 + row * 7     | any                 | one of each element             |
///
/// The last run overlaps with the one before it, so every access has a power of two of elements,
/// and needs no mask. The elements in both runs are stored twice, with the same values.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_TARGET_CPU_TRANSPOSITION_H
#define TSSA_LIB_TARGET_CPU_TRANSPOSITION_H

#include "tssa/Conversion/KernelTarget.h"

namespace tssa::cpu {

/// Whether an access can be part of a transposition: its lanes are not adjacent, and it is known at
/// compile time which of them `mask` keeps.
bool isTransposable(conversion::IndexBuilder &index, const conversion::LaneAccess &access,
                    mlir::Value mask);

/// Builds those of `loads` that are adjacent in memory, and returns null for the others. All of
/// `loads` are transposable.
llvm::SmallVector<mlir::Value> buildTransposedLoads(conversion::IndexBuilder &index,
                                                    llvm::ArrayRef<conversion::LaneLoad> loads);

/// Builds those of `stores` that are adjacent in memory, and returns the others. All of `stores`
/// are transposable.
llvm::SmallVector<conversion::LaneStore>
buildTransposedStores(conversion::IndexBuilder &index,
                      llvm::ArrayRef<conversion::LaneStore> stores);

} // namespace tssa::cpu

#endif // TSSA_LIB_TARGET_CPU_TRANSPOSITION_H
