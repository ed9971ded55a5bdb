//===- Roof.cpp - how fast a machine can be at most -----------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Tuner/Roof.h"

#include <algorithm>
#include <ctime>
#include <memory>

#ifdef __x86_64__
#include <immintrin.h>
#endif

using namespace tssa::tuner;

static double getThreadSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// Returns the best rate of `turns` calls of `work`, which returns what it has done.
template <typename Work> static double getBestRate(unsigned turns, Work work) {
  double best = 0;
  for (unsigned turn = 0; turn < turns; ++turn) {
    double start = getThreadSeconds(), done = work(), seconds = getThreadSeconds() - start;
    if (seconds > 0)
      best = std::max(best, done / seconds);
  }
  return best;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

#ifdef __x86_64__
/// Runs 12 chains of fused multiply-adds, which cover the latency of two ports, and returns the
/// number of operations. The asm keeps each chain in a register.
#define TSSA_BURST(NAME, TARGET, TYPE, SET, FMA, LANES)                                            \
  __attribute__((target(TARGET))) static double NAME() {                                           \
    constexpr int chains = 12, steps = 100000;                                                     \
    TYPE scale = SET(0.999f), add = SET(0.001f), sums[chains];                                     \
    for (TYPE &sum : sums)                                                                         \
      sum = add;                                                                                   \
    for (int step = 0; step < steps; ++step)                                                       \
      _Pragma("clang loop unroll(full)") for (int i = 0; i < chains; ++i) {                        \
        sums[i] = FMA(sums[i], scale, add);                                                        \
        __asm__ volatile("" : "+v"(sums[i]));                                                      \
      }                                                                                            \
    return 2.0 * LANES * chains * steps;                                                           \
  }
TSSA_BURST(burst512, "avx512f", __m512, _mm512_set1_ps, _mm512_fmadd_ps, 16)
TSSA_BURST(burst256, "avx2,fma", __m256, _mm256_set1_ps, _mm256_fmadd_ps, 8)
#undef TSSA_BURST

static double measureFlops(unsigned vectorBytes, unsigned turns) {
  if (vectorBytes == 64 && __builtin_cpu_supports("avx512f"))
    return getBestRate(turns, burst512);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return getBestRate(turns, burst256);
  return 0;
}
#else
static double measureFlops(unsigned, unsigned) { return 0; }
#endif

double tssa::tuner::measureBurst(unsigned vectorBytes) { return measureFlops(vectorBytes, 1); }

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Reads the block once and returns the number of bytes.
#ifdef __x86_64__
__attribute__((target("avx2"))) static double readWide(const std::vector<uint64_t> &block) {
  constexpr size_t words = 4;
  __m256i sums[4] = {};
  for (size_t i = 0; i + 4 * words <= block.size(); i += 4 * words)
    for (size_t k = 0; k < 4; ++k)
      sums[k] = _mm256_or_si256(sums[k], _mm256_loadu_si256(reinterpret_cast<const __m256i *>(
                                             block.data() + i + k * words)));
  __asm__ volatile("" : : "x"(sums[0]), "x"(sums[1]), "x"(sums[2]), "x"(sums[3]));
  return static_cast<double>(block.size() * sizeof(uint64_t));
}
#endif

static double readNarrow(const std::vector<uint64_t> &block) {
  uint64_t sum = 0;
  for (uint64_t word : block)
    sum |= word;
  __asm__ volatile("" : : "r"(sum));
  return static_cast<double>(block.size() * sizeof(uint64_t));
}

static double readBlock(const std::vector<uint64_t> &block) {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2"))
    return readWide(block);
#endif
  return readNarrow(block);
}

static Roof::Bandwidth measureBandwidth(size_t bytes) {
  constexpr size_t perTurn = 16 << 20;
  std::vector<uint64_t> block(bytes / sizeof(uint64_t), 1);
  double rate = getBestRate(/*turns=*/4, [&] {
    double done = 0;
    for (size_t i = 0; i < std::max<size_t>(perTurn / bytes, 1); ++i)
      done += readBlock(block);
    return done;
  });
  return {static_cast<double>(bytes), rate};
}

Roof tssa::tuner::measureRoof(unsigned vectorBytes) {
  Roof roof;
  roof.flopsPerSecond = measureFlops(vectorBytes, /*turns=*/20);
  // Within the first-level, the second-level and the last-level cache of usual machines, and more.
  for (size_t kibibytes : {24, 512, 4096, 65536})
    roof.bandwidths.push_back(measureBandwidth(kibibytes << 10));
  return roof;
}

double Roof::getSeconds(double flops, double bytes, unsigned threads) const {
  double seconds = flopsPerSecond > 0 ? flops / flopsPerSecond : 0;
  // A roof is what cannot be exceeded: memory counts as fast as the largest block that is smaller.
  const Bandwidth *known = nullptr;
  for (const Bandwidth &bandwidth : bandwidths)
    if (bandwidth.bytesPerSecond > 0 && (!known || bandwidth.bytes <= bytes))
      known = &bandwidth;
  if (known)
    seconds = std::max(seconds, bytes / known->bytesPerSecond);
  return seconds / threads;
}
