//===- CanonicalizeTest.cpp - the pattern that is switched off -----------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tssa/Support/Canonicalize.h"
#include <gtest/gtest.h>

using namespace mlir;

TEST(Canonicalize, UnsoundPatternHasThisName) {
  MLIRContext context;
  context.loadDialect<scf::SCFDialect>();
  RewritePatternSet patterns(&context);
  scf::ForOp::getCanonicalizationPatterns(patterns, &context);
  EXPECT_TRUE(llvm::any_of(patterns.getNativePatterns(), [](auto &pattern) {
    return pattern->getDebugName() == tssa::unsoundPattern;
  }));
}
