//===- NearName.cpp ------------------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tssa/Runtime/NearName.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

using namespace tssa::runtime;

static constexpr size_t longestCompared = 200;

/// Returns the Levenshtein distance.
static size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t(0));
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i + 1);
    for (size_t j = 0; j < b.size(); ++j) {
      size_t replace = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replace, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

std::string tssa::runtime::suggestName(std::string_view given,
                                       const std::vector<std::string> &names) {
  const std::string *nearest = nullptr;
  size_t least = std::max<size_t>(2, given.size() / 3) + 1;
  for (const std::string &name : names) {
    if (std::max(given.size(), name.size()) > longestCompared)
      continue;
    size_t distance = editDistance(given, name);
    if (distance < least && distance < name.size()) {
      least = distance;
      nearest = &name;
    }
  }
  return nearest ? "; did you mean '" + printable(*nearest) + "'?" : "";
}

size_t tssa::runtime::getSequenceLength(std::string_view text) {
  uint8_t first = uint8_t(text[0]);
  size_t length = first < 0x80   ? 1
                  : first < 0xc2 ? 0
                  : first < 0xe0 ? 2
                  : first < 0xf0 ? 3
                  : first < 0xf5 ? 4
                                 : 0;
  if (length == 0 || text.size() < length)
    return 0;
  for (size_t i = 1; i < length; ++i)
    if ((uint8_t(text[i]) & 0xc0) != 0x80)
      return 0;
  // Refuse overlong forms, surrogates, and code points beyond U+10FFFF.
  uint8_t second = length > 1 ? uint8_t(text[1]) : 0;
  if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
      (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f))
    return 0;
  return length;
}

std::string tssa::runtime::printable(std::string_view text, size_t most) {
  std::string shown;
  while (!text.empty()) {
    if (shown.size() >= most)
      return shown + "...";
    uint8_t byte = uint8_t(text[0]);
    size_t length = getSequenceLength(text);
    if (length == 0 || byte < 0x20 || byte == 0x7f) {
      shown += "\\x";
      shown += "0123456789abcdef"[byte >> 4];
      shown += "0123456789abcdef"[byte & 15];
      length = 1;
    } else {
      shown += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return shown;
}
