//===- RandomKeys.h - keys of random numbers -----------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A random number is a function of a key and of the number's index. `RandomKeys` makes the keys of
/// one run, for the runtime and the evaluator. docs/decisions/0011-random-numbers.md gives the
/// reasons.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_SUPPORT_RANDOMKEYS_H
#define TSSA_SUPPORT_RANDOMKEYS_H

#include <cstdint>
#include <unordered_map>

namespace tssa {

/// The keys of random numbers in one run.
class RandomKeys {
public:
  /// `seed` is the seed of the session, `run` the number of earlier runs of the session.
  RandomKeys(uint64_t seed, uint64_t run) : seed(seed), run(run) {}

  /// Returns the key for the next execution of the node `stream`. If `ownSeed` is not null, the key
  /// depends on this seed, the run, and the number of earlier executions of the node in the run.
  /// Otherwise, it depends on the seed of the session and the node too.
  uint64_t next(uint64_t stream, const uint64_t *ownSeed) {
    uint64_t start = ownSeed ? *ownSeed : absorb(seed, stream);
    return absorb(absorb(absorb(start, ownSeed != nullptr), run), executions[stream]++);
  }

private:
  /// Returns a hash of both arguments. Each of its bits depends on all bits of both.
  static uint64_t absorb(uint64_t state, uint64_t value) {
    return mix(mix(state + 0x9e3779b97f4a7c15) + value);
  }
  static uint64_t mix(uint64_t x) {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
  }

  uint64_t seed, run;
  std::unordered_map<uint64_t, uint64_t> executions; ///< by node
};

} // namespace tssa

#endif // TSSA_SUPPORT_RANDOMKEYS_H
