//===- Sorting.h - a stable sort by keys -----------------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_EXTERNS_SORTING_H
#define LIB_EXTERNS_SORTING_H

#include "Routine.h"

namespace tssa {

/// What is sorted: the key of an element, and where the element is.
struct Item {
  uint64_t key;
  int64_t index;
};

/// A list of items that can be sorted. The time is proportional to the number of items.
class Items {
public:
  Items(const tssa_host *host, int32_t node, int64_t capacity)
      : first(host, node, capacity), second(host, node, capacity), items(first.get()),
        spare(second.get()) {}
  explicit operator bool() const { return items && spare; }
  Item &operator[](int64_t i) { return items[i]; }

  /// Sorts the first `count` items by their keys. Equal items keep their order.
  void sort(int64_t count) {
    if (count <= fewItems)
      return insert(count);
    uint64_t varying = 0; // the bits in which keys differ
    for (int64_t i = 1; i < count; ++i)
      varying |= items[i].key ^ items[0].key;
    int64_t numDigits = count < manyItems ? 256 : maxDigits;
    while (varying) {
      int shift = __builtin_ctzll(varying);
      distribute(count, shift, numDigits);
      varying &= ~(uint64_t(numDigits - 1) << shift);
    }
  }

private:
  static constexpr int64_t fewItems = 64, manyItems = 512, maxDigits = 2048;

  /// Sorts by inserting each item into the sorted items before it.
  void insert(int64_t count) {
    for (int64_t i = 1; i < count; ++i) {
      Item item = items[i];
      int64_t j = i;
      for (; j > 0 && item.key < items[j - 1].key; --j)
        items[j] = items[j - 1];
      items[j] = item;
    }
  }

  /// Sorts by the digit that begins at bit `shift` of the keys.
  void distribute(int64_t count, int shift, int64_t numDigits) {
    int64_t places[maxDigits]; // of the next item with each digit
    for (int64_t digit = 0; digit < numDigits; ++digit)
      places[digit] = 0;
    for (int64_t i = 0; i < count; ++i)
      ++places[items[i].key >> shift & (numDigits - 1)];
    int64_t place = 0;
    for (int64_t digit = 0; digit < numDigits; ++digit) {
      int64_t size = places[digit];
      places[digit] = place;
      place += size;
    }
    for (int64_t i = 0; i < count; ++i)
      spare[places[items[i].key >> shift & (numDigits - 1)]++] = items[i];
    Item *sorted = spare;
    spare = items;
    items = sorted;
  }

  Scratch<Item> first, second;
  Item *items, *spare;
};

} // namespace tssa

#endif // LIB_EXTERNS_SORTING_H
