//===- Random.h - random numbers by a counter -*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Philox 4x32-10: a random number is a function of a key and of a counter, so streams of other
/// keys or counters need no state and share no number. Source: J. K. Salmon, M. A. Moraes, R. O.
/// Dror, D. E. Shaw, "Parallel Random Numbers: As Easy as 1, 2, 3", SC 2011, section 3.3, and its
/// library Random123. The standard's distributions differ from library to library, so none is used.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_SEARCH_RANDOM_H
#define TSSA_SEARCH_RANDOM_H

#include "llvm/ADT/StringRef.h"

#include <array>
#include <cstdint>
#include <vector>

namespace tssa::search {

/// The block of 128 random bits at `counter` for `key`.
std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key);

/// FNV-1a of 64 bits: equal on every platform, for numbers of tasks and for damage, not for safety.
uint64_t hashBytes(llvm::StringRef bytes);

/// The stream of random numbers of one round of one task. The seed is Philox's key; the task, the
/// round and the number of the block are its counter, so two streams have no block in common.
class Random {
public:
  Random(uint64_t seed, uint64_t task, uint32_t round) : seed(seed), task(task), round(round) {}

  /// The next 32 bits. A stream has 2^34 of them and then begins again.
  uint32_t next();
  uint64_t next64();
  /// An integer in [0, bound), all equally likely: draws that would favour some are drawn again.
  /// `bound` is positive.
  uint64_t below(uint64_t bound);
  /// A double in [0, 1) with 53 random bits.
  double uniform();
  /// `count` different integers of [0, population) in the order in which they were drawn; all of
  /// them if there are fewer. Needs memory for `count`, not for `population`.
  std::vector<uint64_t> sample(uint64_t count, uint64_t population);

private:
  uint64_t seed;
  uint64_t task;
  uint32_t round;
  uint32_t block = 0;
  unsigned used = 4;
  std::array<uint32_t, 4> words{};
};

} // namespace tssa::search

#endif // TSSA_SEARCH_RANDOM_H
