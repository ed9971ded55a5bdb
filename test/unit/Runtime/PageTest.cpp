//===- PageTest.cpp ------------------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tssa/Runtime/Page.h"

#include <gtest/gtest.h>

using namespace tssa::runtime;

TEST(PageTest, TextIsEscaped) {
  EXPECT_EQ(escapeMarkup("a<b>&\"'\n\x01"), "a&lt;b&gt;&amp;&quot;&#39;  ");
  EXPECT_EQ(escapeMarkup("\xff"), "\xef\xbf\xbd");
  EXPECT_EQ(escapeMarkup("abcdef", 3), "abc ...");
  EXPECT_EQ(escapeMarkup("\xc3\xa9", 1), "\xef\xbf\xbd ...");
  EXPECT_EQ(escapeMarkup("\xc3\xa9"), "\xc3\xa9");
}
