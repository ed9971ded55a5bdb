//===- XXH3Test.cpp ------------------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tssa/Runtime/XXH3.h"
#include "tssa/Runtime/SHA256.h"

#include <gtest/gtest.h>

using namespace tssa::runtime;

// What `xxhsum -H2` prints. The lengths take different ways through the algorithm.
TEST(XXH3, StandardVectors) {
  EXPECT_EQ(toHex(XXH3::hash("")), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(toHex(XXH3::hash("abc")), "06b05ab6733a618578af5f94892f3950");
  EXPECT_EQ(toHex(XXH3::hash(std::string(200, 'a'))), "cffe968d25cc79dac8654f5c46034008");
  EXPECT_EQ(toHex(XXH3::hash(std::string(1000000, 'a'))), "a545df8e384a9579b1fd6fae5285c4eb");
}

TEST(XXH3, PiecesOfAnySize) {
  std::string text(5000, 'x');
  for (size_t i = 0; i < text.size(); ++i)
    text[i] = char(i * 7);
  for (size_t piece = 1; piece < 1200; piece += 37) {
    XXH3 hash;
    for (size_t i = 0; i < text.size(); i += piece) {
      std::string_view part = std::string_view(text).substr(i, piece);
      hash.update(part.data(), part.size());
    }
    EXPECT_EQ(hash.final(), XXH3::hash(text)) << piece;
  }
}

TEST(XXH3, EveryBitCounts) {
  std::string text(3000, 'x');
  const Checksum good = XXH3::hash(text);
  for (size_t i = 0; i < text.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      text[i] = char(text[i] ^ (1 << bit));
      EXPECT_NE(XXH3::hash(text), good) << i;
      text[i] = char(text[i] ^ (1 << bit));
    }
}
