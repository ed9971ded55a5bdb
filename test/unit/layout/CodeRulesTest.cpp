//===- CodeRulesTest.cpp - what code is made of loops --------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Analysis/CodeRules.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::tssa;

namespace {

TEST(CodeRules, FewRowsAreNotTransposed) {
  EXPECT_FALSE(layout::transposesRows(1, /*isStored=*/true));
  EXPECT_TRUE(layout::transposesRows(2, /*isStored=*/true));
  EXPECT_FALSE(layout::transposesRows(3, /*isStored=*/false));
  EXPECT_TRUE(layout::transposesRows(4, /*isStored=*/false));
}

TEST(CodeRules, TransposedRowsAreAPowerOfTwoOfAtMost32Bytes) {
  EXPECT_EQ(layout::getTransposedRows(7, 16, 4), 4);
  EXPECT_EQ(layout::getTransposedRows(16, 16, 4), 8);
  EXPECT_EQ(layout::getTransposedRows(16, 8, 8), 4);
  EXPECT_EQ(layout::getTransposedRows(16, 4, 4), 4); // no more than lanes
  EXPECT_EQ(layout::getTransposedRows(1, 16, 4), 1);
}

TEST(CodeRules, TailsHaveAccumulatorsThatHideTheLatency) {
  using Heights = SmallVector<int64_t>;
  EXPECT_EQ(layout::getTailHeights(6, 1), (Heights{5, 1}));
  EXPECT_EQ(layout::getTailHeights(14, 1), (Heights{13, 5, 1}));
  EXPECT_EQ(layout::getTailHeights(6, 4), (Heights{5, 3, 1}));
  EXPECT_EQ(layout::getTailHeights(4, 8), (Heights{3, 2, 1}));
  EXPECT_EQ(layout::getTailHeights(2, 3), (Heights{1}));
}

TEST(CodeRules, ReadsStayInZeros) {
  EXPECT_TRUE(layout::staysInZeros(layout::numZeros - 1));
  EXPECT_FALSE(layout::staysInZeros(layout::numZeros));
}

TEST(CodeRules, AWindowOfFourVectorsIsLoaded) {
  EXPECT_TRUE(layout::loadsWindow(/*size=*/64, /*lanes=*/16));
  EXPECT_FALSE(layout::loadsWindow(65, 16));
}

TEST(CodeRules, LoadsDecideTheOrderOfOneReadThatTapsShare) {
  EXPECT_TRUE(layout::ordersByLoads(/*readsOfVectors=*/1, /*tapsShare=*/true, /*scalars=*/25));
  EXPECT_FALSE(layout::ordersByLoads(2, true, 0));
  EXPECT_FALSE(layout::ordersByLoads(1, false, 25));
  EXPECT_FALSE(layout::ordersByLoads(1, true, 72));
}

} // namespace
