//===- TransposedStore.h - strided vectors stored as rows -------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A vector whose lanes are far apart in memory needs a scatter, which stores one element at a
/// time. If the vectors of a tile are adjacent in memory, lane by lane, they are transposed in
/// registers instead, and each lane is stored as one run of elements:
///
///   | address                 | vectors of the tile | stores                          |
///   |-------------------------|---------------------|---------------------------------|
///   | lane * 49 + row         | rows 0 to 7         | one of 8 elements for each lane |
///   | lane * 49 + row         | rows 0 to 13        | two of 8 elements: rows 0, 6    |
///   | lane * 49 + row * 7     | any                 | a scatter for each row          |
///
/// The last run overlaps with the one before it, so every store has as many elements as a vector of
/// that size, and needs no mask. The elements in both runs get the same values twice.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_TARGET_CPU_TRANSPOSEDSTORE_H
#define TSSA_LIB_TARGET_CPU_TRANSPOSEDSTORE_H

#include "tssa/Conversion/KernelTarget.h"

namespace tssa::cpu {

/// Whether `store` can be part of a transposition: its lanes are not adjacent, and it is known at
/// compile time which of them are stored.
bool isTransposable(conversion::IndexBuilder &index, const conversion::LaneStore &store);

/// Builds those of `stores` that are adjacent in memory, and returns the others. All of `stores`
/// are transposable.
llvm::SmallVector<conversion::LaneStore>
buildTransposedStores(conversion::IndexBuilder &index,
                      llvm::ArrayRef<conversion::LaneStore> stores);

} // namespace tssa::cpu

#endif // TSSA_LIB_TARGET_CPU_TRANSPOSEDSTORE_H
