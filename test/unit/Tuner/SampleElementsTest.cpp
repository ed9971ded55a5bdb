//===- SampleElementsTest.cpp - the elements that are checked -------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Tuner/SampleElements.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace tssa::tuner;

TEST(SampleElements, AllOfASmallTensor) {
  EXPECT_EQ(sampleElements({2, 3}, 6, 1), (std::vector<int64_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(sampleElements({}, 6, 1), std::vector<int64_t>{0});
  EXPECT_TRUE(sampleElements({0, 3}, 6, 1).empty());
}

TEST(SampleElements, CornersAndTails) {
  std::vector<int64_t> elements = sampleElements({30, 40, 50}, 500, 1);
  EXPECT_LE(elements.size(), 500u);
  EXPECT_GE(elements.size(), 450u);
  EXPECT_TRUE(llvm::is_sorted(elements));
  for (int64_t a : {0, 29})
    for (int64_t b : {0, 39})
      for (int64_t c : {0, 49})
        EXPECT_TRUE(llvm::is_contained(elements, (a * 40 + b) * 50 + c));
  auto countLast = [&](int64_t size, int64_t stride) {
    return llvm::count_if(elements, [=](int64_t i) { return i / stride % size == size - 1; });
  };
  EXPECT_GE(countLast(30, 2000), 40);
  EXPECT_GE(countLast(40, 50), 40);
  EXPECT_GE(countLast(50, 1), 40);
}

TEST(SampleElements, SeedDecides) {
  EXPECT_EQ(sampleElements({1000}, 100, 1), sampleElements({1000}, 100, 1));
  EXPECT_NE(sampleElements({1000}, 100, 1), sampleElements({1000}, 100, 2));
}
