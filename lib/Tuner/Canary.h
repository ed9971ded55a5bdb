//===- Canary.h - whether the core is as fast as it was ---------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_TUNER_CANARY_H
#define LIB_TUNER_CANARY_H

namespace tssa::tuner {

/// Compares the rate of a short burst of arithmetic with the best rate so far. It falls when another
/// thread runs on the same core, or when the core is clocked down: then the CPU clock of a thread
/// goes on as before, but less is done in it.
class Canary {
public:
  /// `vectorBytes` is the size of a vector register, 64 or 32.
  explicit Canary(unsigned vectorBytes) : vectorBytes(vectorBytes) {}

  /// Runs a burst, and again a little later while the rate is below 93 % of the best, for at most a
  /// third of a second. Returns the last rate as a share of the best.
  double wait();

private:
  unsigned vectorBytes;
  double best = 0; ///< operations per second
};

} // namespace tssa::tuner

#endif // LIB_TUNER_CANARY_H
