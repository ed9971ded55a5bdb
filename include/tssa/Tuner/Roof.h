//===- Roof.h - how fast a machine can be at most ---------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_TUNER_ROOF_H
#define TSSA_TUNER_ROOF_H

#include <cstdint>
#include <vector>

namespace tssa::tuner {

/// The roof of one thread (S. Williams, A. Waterman, D. Patterson, "Roofline", CACM 2009).
struct Roof {
  /// How fast a block of memory of up to `bytes` is read again and again.
  struct Bandwidth {
    double bytes = 0, bytesPerSecond = 0;
  };

  /// Floating-point operations per second in f32, with vectors as wide as the machine has them; 0
  /// if it is not known.
  double flopsPerSecond = 0;
  std::vector<Bandwidth> bandwidths; ///< by ascending sizes

  /// Returns the least time, in seconds, in which `threads` threads do `flops` operations and touch
  /// `bytes` different bytes. 0 if nothing is known.
  double getSeconds(double flops, double bytes, unsigned threads) const;
};

/// Measures the roof of the calling thread, which takes about a tenth of a second. `vectorBytes` is
/// the size of a vector register, 64 or 32.
Roof measureRoof(unsigned vectorBytes);

/// Returns the operations per second of one burst of a quarter of a millisecond, as the roof counts
/// them, 0 if the machine has no vectors of this kind.
double measureBurst(unsigned vectorBytes);

} // namespace tssa::tuner

#endif // TSSA_TUNER_ROOF_H
