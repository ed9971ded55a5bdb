//===- SHA256Test.cpp ----------------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tssa/Runtime/SHA256.h"

#include <gtest/gtest.h>

using namespace tssa::runtime;

// Test vectors of FIPS 180-4 and NIST.
TEST(SHA256, StandardVectors) {
  EXPECT_EQ(toHex(SHA256::hash("")),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(toHex(SHA256::hash("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(toHex(SHA256::hash(std::string(1000000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(SHA256, PiecesOfAnySize) {
  std::string text(1000, 'x');
  for (size_t piece = 1; piece < 200; ++piece) {
    SHA256 sha;
    for (size_t i = 0; i < text.size(); i += piece)
      sha.update(std::string_view(text).substr(i, piece));
    EXPECT_EQ(sha.final(), SHA256::hash(text)) << piece;
  }
}
