//===- CatalogueTest.cpp - how operators are found -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Operators/Catalogue.h"
#include "gtest/gtest.h"

using namespace tssa::operators;

namespace {

TEST(CatalogueTest, FindsTheRowOfAVersion) {
  const OperatorRow *old = findOperator("", "Resize", 10),
                    *current = findOperator("", "Resize", 11);
  ASSERT_TRUE(old && current);
  EXPECT_NE(old, current);
  EXPECT_EQ(findOperator("", "Resize", 22), current);
  EXPECT_EQ(findOperator("", "Resize", 9), nullptr);
  EXPECT_EQ(findOperator("", "NoSuchOperator", 1), nullptr);
}

TEST(CatalogueTest, KeepsDomainsApart) {
  const OperatorRow *standard = findOperator("", "Pad", 11);
  ASSERT_TRUE(standard);
  EXPECT_EQ(findOperator("ai.onnx", "Pad", 11), standard);
  EXPECT_NE(findOperator("com.microsoft", "Pad", 11), standard);
  EXPECT_EQ(findOperator("ai.onnx.ml", "Pad", 11), nullptr);
}

/// ONNX Runtime writes this operator in the standard domain, too.
TEST(CatalogueTest, FindsARowOfAnotherDomainThanItsFamily) {
  const OperatorRow *row = findOperator("", "SimplifiedLayerNormalization", 1);
  ASSERT_TRUE(row);
  EXPECT_TRUE(row->signature);
}

TEST(CatalogueTest, GivesHints) {
  EXPECT_EQ(findOperator("com.microsoft", "Tokenizer", 1), nullptr);
  EXPECT_EQ(findHint("com.microsoft", "Tokenizer"), "tokenize before the model");
  EXPECT_EQ(findHint("com.microsoft", "NoSuchOperator"), "");
  EXPECT_NE(findHint("com.microsoft.nchwc", "Conv"), "");
}

TEST(CatalogueTest, HasOneRowForEachVersion) {
  std::vector<ListedOperator> listed = listOperators();
  ASSERT_FALSE(listed.empty());
  for (size_t i = 1; i < listed.size(); ++i) {
    const auto &[lastDomain, last] = listed[i - 1];
    const auto &[domain, row] = listed[i];
    if (domain == lastDomain && row->name == last->name) {
      EXPECT_LT(last->versions.until, row->versions.since) << row->name.str();
    }
  }
}

TEST(CatalogueTest, ChecksWhatHasNoSchema) {
  for (const auto &[domain, row] : listOperators()) {
    if (domain == "com.microsoft") {
      EXPECT_TRUE(row->signature) << row->name.str();
    }
  }
}

} // namespace
