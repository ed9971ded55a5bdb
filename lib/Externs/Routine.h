//===- Routine.h - what library routines have in common --------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Routines are freestanding: they use no library, no constructors and no global state.
/// They are linked into every artifact that calls them and compiled for its target.
///
///     int32_t tssa_extern_<name>(host, node, tensors, attributes)
///
/// `tensors` are the inputs, then the results in the caller's memory, then the results
/// that the routine allocates with `allocate`. All are contiguous.
///
//===----------------------------------------------------------------------===//
#ifndef LIB_EXTERNS_ROUTINE_H
#define LIB_EXTERNS_ROUTINE_H

#include "tssa/abi.h"

namespace tssa {

/// The attributes of a call, in alphabetical order.
struct Attributes {
  static constexpr int64_t absent = INT64_MIN;
  int64_t axis, centerPointBox, isUnsigned, largest, sorted;
};

/// A tensor viewed as [outer, size, inner]: the product of the dims before an axis, the size of the
/// axis, and the product of the dims after the axis.
struct AxisView {
  int64_t outer = 1, size = 1, inner = 1;

  /// If `axis` is absent, the axis consists of all elements.
  AxisView(const tssa_tensor &tensor, int64_t axis) {
    for (int32_t dim = 0; dim < tensor.ndim; ++dim) {
      int64_t extent = tensor.shape[dim];
      if (axis == Attributes::absent || dim == axis)
        size *= extent;
      else
        (dim < axis ? outer : inner) *= extent;
    }
  }
  int64_t at(int64_t o, int64_t i, int64_t n) const { return (o * size + i) * inner + n; }
};

inline int64_t countElements(const tssa_tensor &tensor) {
  int64_t count = 1;
  for (int32_t dim = 0; dim < tensor.ndim; ++dim)
    count *= tensor.shape[dim];
  return count;
}

inline int64_t getElementSize(const tssa_tensor &tensor) { return (tensor.dtype.bits + 7) / 8; }

template <typename T> T *getData(const tssa_tensor &tensor) {
  return static_cast<T *>(tensor.data);
}

/// Allocates memory for `count` elements of `size` bytes. On failure, reports an error and
/// returns null.
inline void *grow(const tssa_host *host, int32_t node, int64_t count, int64_t size) {
  int64_t bytes;
  void *memory = nullptr;
  if (!__builtin_mul_overflow(count, size, &bytes))
    memory = host->grow(host, bytes < 64 ? 64 : bytes);
  if (!memory)
    host->fail(host, TSSA_OUT_OF_MEMORY, node, "no memory for a value whose size depends on data");
  return memory;
}

/// Temporary memory of a routine, released at the end of the scope.
template <typename T> class Scratch {
public:
  Scratch(const tssa_host *host, int32_t node, int64_t count)
      : host(host), memory(static_cast<T *>(grow(host, node, count, sizeof(T)))) {}
  ~Scratch() {
    if (memory)
      host->release(host, memory);
  }
  Scratch(const Scratch &) = delete;
  explicit operator bool() const { return memory; }
  T &operator[](int64_t i) { return memory[i]; }
  T *get() { return memory; }

private:
  const tssa_host *host;
  T *memory;
};

/// Allocates the memory of `result`, whose shape is set. Returns false on failure.
inline bool allocate(const tssa_host *host, int32_t node, tssa_tensor &result) {
  result.data = grow(host, node, countElements(result), getElementSize(result));
  return result.data;
}

/// The elements of a tensor as integers that have the order of the elements: -inf is the least, NaN
/// is the greatest, and both zeros are equal. If `isDescending`, the order is reversed.
class Keys {
public:
  Keys(const tssa_tensor &tensor, bool isUnsigned, bool isDescending)
      : data(tensor.data), bits(tensor.dtype.bits <= 8 ? 8 : tensor.dtype.bits),
        isFloat(tensor.dtype.code == 2 || tensor.dtype.code == 4),
        flipped(isUnsigned || tensor.dtype.code == 6 ? 0 : sign),
        reversed(isDescending ? ~uint64_t(0) : 0) {
    unsigned exponentBits = tensor.dtype.code == 4 || bits == 32 ? 8 : bits == 16 ? 5 : 11;
    infinity = ((uint64_t(1) << exponentBits) - 1) << (63 - exponentBits);
  }

  uint64_t operator[](int64_t i) const {
    return bits == 32   ? get<uint32_t>(i)
           : bits == 64 ? get<uint64_t>(i)
           : bits == 16 ? get<uint16_t>(i)
                        : get<uint8_t>(i);
  }

  /// Calls `visit(i, key)` for those of `count` elements from `begin` on, at distances of `stride`,
  /// whose keys are not greater than `last`. `visit` may reduce `last`.
  template <typename Visit>
  void visit(int64_t begin, int64_t stride, int64_t count, const uint64_t &last,
             Visit visit) const {
    if (bits == 32)
      visitAs<uint32_t>(*this, begin, stride, count, last, visit);
    else if (bits == 64)
      visitAs<uint64_t>(*this, begin, stride, count, last, visit);
    else if (bits == 16)
      visitAs<uint16_t>(*this, begin, stride, count, last, visit);
    else
      visitAs<uint8_t>(*this, begin, stride, count, last, visit);
  }

  /// The key of 0.
  uint64_t getZero() const { return (isFloat ? sign : flipped) ^ reversed; }

private:
  static constexpr uint64_t sign = uint64_t(1) << 63;

  template <typename Word> uint64_t get(int64_t i) const {
    Word word = static_cast<const Word *>(data)[i];
    encode<1>(&word);
    return align(word);
  }

  /// Moves a key to the highest bits, so that the signs of all types are at the same place.
  template <typename Word> static uint64_t align(Word word) {
    return uint64_t(word) << (64 - 8 * sizeof(Word));
  }

  /// Replaces elements by their keys. All of them are computed at once, and without branches
  /// for the signs, which cannot be predicted.
  template <int64_t count, typename Word> void encode(Word *words) const {
    typedef Word Words __attribute__((vector_size(count * sizeof(Word))));
    constexpr unsigned unused = 64 - 8 * sizeof(Word);
    constexpr Word highest = Word(sign >> unused);
    Words raw;
    __builtin_memcpy(&raw, words, sizeof(raw));
    if (isFloat) {
      Words size = raw & Word(~highest);
      raw &= (Words)(size != Word(0));
      raw ^= (Words)(raw >= highest) | highest;
      raw |= (Words)(size > Word(infinity >> unused));
    } else {
      raw ^= Word(flipped >> unused);
    }
    raw ^= Word(reversed);
    __builtin_memcpy(words, &raw, sizeof(raw));
  }

  /// Whether one of `count` keys is not greater than `last`.
  template <int64_t count, typename Word> static bool hasUpTo(const Word *words, uint64_t last) {
    typedef Word Words __attribute__((vector_size(count * sizeof(Word))));
    Words keys;
    __builtin_memcpy(&keys, words, sizeof(keys));
    return __builtin_reduce_or((Words)(keys <= Word(last >> (64 - 8 * sizeof(Word)))));
  }

  /// `keys` is a copy, so that no write in `visit` can change it.
  template <typename Word, typename Visit>
  static void visitAs(Keys keys, int64_t begin, int64_t stride, int64_t count,
                      const uint64_t &last, Visit &visit) {
    constexpr int64_t size = 64 / sizeof(Word);
    const Word *from = static_cast<const Word *>(keys.data) + begin;
    for (int64_t block = 0; block < count; block += size) {
      Word words[size] = {};
      int64_t used = count - block < size ? count - block : size;
      if (stride == 1 && used == size)
        __builtin_memcpy(words, from + block, sizeof(words));
      else
        for (int64_t i = 0; i < used; ++i)
          words[i] = from[(block + i) * stride];
      keys.encode<size>(words);
      if (!hasUpTo<size>(words, last))
        continue;
      for (int64_t i = 0; i < used; ++i)
        if (align(words[i]) <= last)
          visit(block + i, align(words[i]));
    }
  }

  const void *data;
  unsigned bits;
  bool isFloat;
  uint64_t flipped, infinity, reversed;
};

inline void copyElement(const tssa_tensor &to, int64_t i, const tssa_tensor &from, int64_t j) {
  switch (getElementSize(to)) {
  case 1:
    getData<uint8_t>(to)[i] = getData<uint8_t>(from)[j];
    return;
  case 2:
    getData<uint16_t>(to)[i] = getData<uint16_t>(from)[j];
    return;
  case 4:
    getData<uint32_t>(to)[i] = getData<uint32_t>(from)[j];
    return;
  default:
    getData<uint64_t>(to)[i] = getData<uint64_t>(from)[j];
  }
}

} // namespace tssa

#endif // LIB_EXTERNS_ROUTINE_H
