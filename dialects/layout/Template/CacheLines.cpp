//===- CacheLines.cpp - the lines that loops bring into a cache -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Template/CacheLines.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <numeric>

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

double layout::countDistinct(SmallVectorImpl<std::pair<int64_t, int64_t>> &terms) {
  llvm::sort(terms);
  double count = 1, run = 1; // the sums so far are `run` multiples of `unit`, `count / run` times
  int64_t unit = 0;
  for (auto [stride, extent] : terms) {
    double times = static_cast<double>(extent);
    if (unit && stride % unit == 0 && static_cast<double>(stride / unit) <= run) {
      double longer = run + (times - 1) * static_cast<double>(stride / unit);
      count = count / run * longer;
      run = longer;
    } else {
      count *= times;
      run = times;
      unit = stride;
    }
  }
  return count;
}

TouchedLines layout::findTouchedLines(const Stream &stream, ArrayRef<int64_t> extents,
                                      int64_t lineBytes) {
  SmallVector<std::pair<int64_t, int64_t>> terms;
  double elements = 1;
  for (auto [stride, extent] : llvm::zip_equal(stream.strides, extents))
    if (stride != 0 && extent > 1) {
      terms.push_back({stride, extent});
      elements *= static_cast<double>(extent);
    }
  int64_t perLine = std::max<int64_t>(lineBytes / stream.elementBytes, 1);
  if (stream.inOrder) {
    double lines = std::max(1.0, elements / static_cast<double>(perLine));
    return {lines, lines};
  }
  llvm::sort(terms);
  // Elements less than a line apart are one block, of which each line is touched.
  double block = 1;
  size_t next = 0;
  for (; next < terms.size() && terms[next].first <= block + perLine; ++next)
    block += static_cast<double>(terms[next].first) * (terms[next].second - 1);
  terms.erase(terms.begin(), terms.begin() + next);
  bool aligned = llvm::all_of(terms, [&](auto &term) { return term.first % perLine == 0; });
  double lines = aligned ? std::ceil(block / perLine) : 1 + (block - 1) / perLine;
  return {lines * countDistinct(terms), lines};
}

/// The part of a cache that is left by other tensors and by what is fetched ahead.
static constexpr double part = 0.75;

/// Returns whether the lines of a block find room in the sets of `cache` that they map to: those at
/// the multiples of the greatest common divisor of the strides.
static bool fitsSets(const Stream &stream, ArrayRef<int64_t> extents, const Cache &cache) {
  if (stream.inOrder)
    return true;
  int64_t wayBytes = cache.bytes / cache.ways, divisor = wayBytes;
  SmallVector<std::pair<int64_t, int64_t>> terms;
  for (auto [stride, extent] : llvm::zip_equal(stream.strides, extents))
    if (int64_t distance = stride * stream.elementBytes;
        distance >= cache.lineBytes && extent > 1) {
      divisor = std::gcd(distance, divisor);
      terms.push_back({stride, extent});
    }
  int64_t sets = std::max<int64_t>(wayBytes / std::max(divisor, cache.lineBytes), 1);
  return countDistinct(terms) <= part * static_cast<double>(cache.ways * sets);
}

MissedLines layout::findMissedLines(ArrayRef<Stream> streams, ArrayRef<int64_t> tile,
                                    ArrayRef<TileLoop> loops, const Cache &cache) {
  SmallVector<int64_t> extents(tile);
  double capacity = part * static_cast<double>(cache.bytes) / cache.lineBytes;
  auto find = [&](const Stream &stream) {
    return findTouchedLines(stream, extents, cache.lineBytes);
  };
  auto fits = [&] {
    double lines = 0;
    for (const Stream &stream : streams)
      lines += find(stream).count;
    return lines <= capacity && llvm::all_of(streams, [&](const Stream &stream) {
             return fitsSets(stream, extents, cache);
           });
  };
  ArrayRef<TileLoop> outside = loops;
  for (const TileLoop &loop : loops) {
    int64_t before = extents[loop.dim];
    extents[loop.dim] *= loop.trips;
    if (!fits()) {
      extents[loop.dim] = before;
      break;
    }
    outside = outside.drop_front();
  }
  MissedLines missed;
  if (!outside.empty())
    extents[outside.front().dim] *= outside.front().trips;
  for (const Stream &stream : streams) {
    // What the nearest loop outside uses again is still there. What those around it use again
    // stays, if it leaves room for what they replace.
    auto [lines, run] = find(stream);
    bool stays = lines <= capacity / 2;
    for (const TileLoop &loop : outside) {
      stays &= stream.strides[loop.dim] == 0;
      if (!stays && loop.dim != outside.front().dim)
        lines *= static_cast<double>(loop.trips);
    }
    missed.count += lines;
    missed.alone += lines / run;
  }
  return missed;
}
