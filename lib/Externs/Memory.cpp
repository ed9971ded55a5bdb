//===- Memory.cpp - functions that code generation calls by name ---------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Compiled code imports nothing, so it contains these functions. They copy blocks of 64 bytes,
/// which code generation splits into registers. The first and the last block may overlap other
/// blocks.
///
//===----------------------------------------------------------------------===//

#include <stddef.h>
#include <stdint.h>

namespace {

template <size_t size> struct Bytes {
  typedef char Block __attribute__((vector_size(size), aligned(1), may_alias));
};

template <size_t size> inline typename Bytes<size>::Block load(const char *from) {
  return *reinterpret_cast<const typename Bytes<size>::Block *>(from);
}

template <size_t size> inline void store(char *to, typename Bytes<size>::Block block) {
  *reinterpret_cast<typename Bytes<size>::Block *>(to) = block;
}

/// Copies `count` bytes, where size <= count <= 2 * size. Source and target may overlap.
template <size_t size> inline void copyEnds(char *to, const char *from, size_t count) {
  auto first = load<size>(from), last = load<size>(from + count - size);
  store<size>(to, first);
  store<size>(to + count - size, last);
}

/// Copies up to 128 bytes. Source and target may overlap.
inline void copySmall(char *to, const char *from, size_t count) {
  if (count >= 64)
    copyEnds<64>(to, from, count);
  else if (count >= 32)
    copyEnds<32>(to, from, count);
  else if (count >= 16)
    copyEnds<16>(to, from, count);
  else if (count >= 8)
    copyEnds<8>(to, from, count);
  else if (count >= 4)
    copyEnds<4>(to, from, count);
  else if (count >= 2)
    copyEnds<2>(to, from, count);
  else if (count == 1)
    *to = *from;
}

/// Rounds to an f32 in such a way that a second rounding, to a narrower type, gives the same result
/// as rounding the double directly. An inexact number gets an odd fraction, so that it is not a
/// tie.
inline float roundToOdd(double x) {
  float nearest = static_cast<float>(x);
  double reached = nearest;
  if (reached == x || x != x)
    return nearest;
  uint32_t bits;
  __builtin_memcpy(&bits, &nearest, sizeof(bits));
  if (!(bits & 1))
    bits += __builtin_fabs(reached) < __builtin_fabs(x) ? 1 : -1;
  __builtin_memcpy(&nearest, &bits, sizeof(bits));
  return nearest;
}

} // namespace

extern "C" {

/// Converts f64 to f16, for which x86-64 has no instruction.
_Float16 __truncdfhf2(double x) { return static_cast<_Float16>(roundToOdd(x)); }

/// Converts f32 to bf16, for which not every x86-64 has an instruction: to nearest even, and NaN to a
/// quiet NaN. A cast would be a call of this function.
__bf16 __truncsfbf2(float x) {
  uint32_t bits;
  __builtin_memcpy(&bits, &x, sizeof(bits));
  uint32_t rounded = x != x ? bits | 0x400000 : bits + 0x7fff + ((bits >> 16) & 1);
  uint16_t high = rounded >> 16;
  __bf16 narrow;
  __builtin_memcpy(&narrow, &high, sizeof(narrow));
  return narrow;
}

void *memmove(void *target, const void *source, size_t count) {
  char *to = static_cast<char *>(target);
  const char *from = static_cast<const char *>(source);
  if (count <= 128) {
    copySmall(to, from, count);
    return target;
  }
  auto first = load<64>(from), last = load<64>(from + count - 64);
  if (static_cast<size_t>(to - from) >= count) {
    for (size_t i = 64; i < count - 64; i += 64)
      store<64>(to + i, load<64>(from + i));
  } else {
    for (size_t i = count - 64; i > 64; i -= 64)
      store<64>(to + i - 64, load<64>(from + i - 64));
  }
  store<64>(to, first);
  store<64>(to + count - 64, last);
  return target;
}

void *memcpy(void *target, const void *source, size_t count) {
  return memmove(target, source, count);
}

void *memset(void *target, int value, size_t count) {
  char *to = static_cast<char *>(target);
  Bytes<64>::Block block = {};
  block += static_cast<char>(value);
  if (count >= 64) {
    for (size_t i = 0; i < count - 64; i += 64)
      store<64>(to + i, block);
    store<64>(to + count - 64, block);
    return target;
  }
  for (size_t i = 0; i < count; ++i)
    to[i] = static_cast<char>(value);
  return target;
}

} // extern "C"
