//===- CodeRules.h - what code is made of loops -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Rules by which loops become code, as functions of numbers. The conversion to loops and the
/// targets follow them, and the draft model, which prices the code, asks the same ones.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_ANALYSIS_CODERULES_H
#define DIALECTS_LAYOUT_ANALYSIS_CODERULES_H

#include "dialects/te/IR/BoxRules.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"

namespace mlir::tssa::layout {

/// The least work of a loop, in simple instructions, for which one more thread that is awake pays
/// off. A matrix product does this work in 0.6 microseconds; starting a loop on the threads costs
/// 0.3.
inline constexpr int64_t leastWorkOfThread = 1 << 17;

/// The most bytes of a kernel's boxes on the stack of a thread: about what of its cache a core does
/// not need for operands. Further boxes lie in memory that the program has for each thread.
inline constexpr int64_t scratchBytes = te::bytesOfBoxes;

/// The most bytes of a kernel's boxes for each thread, on its stack and beyond.
inline constexpr int64_t threadScratchBytes = 64 << 20;

using te::leastBoxes;
using te::rowsOfBox;

/// The most bytes of the boxes of a kernel on a device, for each lane or block.
inline constexpr int64_t deviceScratchBytes = 64 << 10;

/// The elements of the array of zeros that a guarded read may read instead of a tensor.
inline constexpr int64_t numZeros = 4096;

/// Returns whether loops whose reads move by `distance` elements stay in the array of zeros. Then
/// the memory is chosen before they begin.
constexpr bool staysInZeros(double distance) { return distance < numZeros; }

/// Returns whether `rows` adjacent vectors are stored, or loaded, as rows that are transposed in
/// registers. For fewer, a scatter or a gather is as fast.
constexpr bool transposesRows(int64_t rows, bool isStored) { return rows >= (isStored ? 2 : 4); }

/// The most iterations of a loop over a window that are built one by one.
inline constexpr int64_t mostPeeled = 9;

/// Returns whether the iterations of a loop over a window are built one by one, because `outside`
/// of `all` products of its rows are known to be zero. For few, the code is not worth it.
constexpr bool peelsWindow(double outside, double all) { return outside >= all / 16; }

/// Returns how many of `adjacent` vectors of `lanes` elements are transposed at once, a power of
/// two. A row has at most 32 bytes: larger ones cost one more step, and most lie in two cache
/// lines.
int64_t getTransposedRows(int64_t adjacent, int64_t lanes, int64_t elementBytes);

/// Returns whether lanes that lie in a window of `size` elements are loaded as the vectors of the
/// window and shuffled. From more vectors, a gather is at least as fast.
constexpr bool loadsWindow(int64_t size, int64_t lanes) { return size <= 4 * lanes; }

/// Returns whether the unrolled products of a tile are added in the order of what they load, and
/// not tap by tap: each vector is then loaded once, and its register is free at once for the next
/// one. readsOfVectors: those whose lanes differ; of two, such as the weights of lanes that are
/// channels, one order serves only one. tapsShare: whether different taps use the same vector.
/// scalars: the elements that all lanes share; they are alive from the first load to the last, and
/// many would be stored and loaded again as vectors.
constexpr bool ordersByLoads(size_t readsOfVectors, bool tapsShare, double scalars) {
  return readsOfVectors == 1 && tapsShare && scalars <= 64;
}

/// Returns the heights of the tiles for the rows that are left of tiles of `rows` rows, in
/// descending order. accumulators: those of a row. A tile with fewer than hide the latency of a
/// multiply-add takes just as long.
SmallVector<int64_t> getTailHeights(int64_t rows, int64_t accumulators);

/// The registers that hold matrices, and whether they hold the sums of `parts` of rows by
/// `vectors`, with those of the side that has fewer matrices and one or two of the other: its last
/// part may have fewer rows.
inline constexpr int64_t matrixRegisters = 8;
inline bool fitsMatrices(int64_t parts, int64_t vectors) {
  int64_t other = parts > vectors ? 2 : 1;
  return parts * vectors + std::min(parts, vectors) + other <= matrixRegisters;
}

/// Returns the parts of up to `most` rows in which the rows of a tile are, whose loops run `rows`
/// times, outermost first: those of the last loop of more than one are divided.
int64_t countMatrixParts(ArrayRef<int64_t> rows, int64_t most);

/// The values that an accumulator takes in a block of a long sum, the most that it takes without
/// blocks, and the levels of blocks of a loop whose length only a run knows.
inline constexpr int64_t valuesOfBlock = 256, longestSum = 1024;
inline constexpr unsigned levelsOfOpenLoop = 2;

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_ANALYSIS_CODERULES_H
