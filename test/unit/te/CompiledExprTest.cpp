//===- CompiledExprTest.cpp - the law of evaluated index expressions -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/IR/CompiledExpr.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::tssa::te;

namespace {

class CompiledExprTest : public ::testing::Test {
protected:
  /// Parses the result of a map with two dims and one symbol.
  AffineExpr parse(StringRef text) {
    std::string map = ("affine_map<(d0, d1)[s0] -> (" + text + ")>").str();
    return cast<AffineMapAttr>(parseAttribute(map, &context)).getValue().getResult(0);
  }

  /// Replaces all dims and the symbol by constants. Returns the value, or nothing if a division
  /// remains.
  std::optional<int64_t> substitute(AffineExpr expr, ArrayRef<int64_t> dims, int64_t symbol) {
    SmallVector<AffineExpr> values;
    for (int64_t dim : dims)
      values.push_back(getAffineConstantExpr(dim, &context));
    auto constant = dyn_cast<AffineConstantExpr>(
        expr.replaceDimsAndSymbols(values, getAffineConstantExpr(symbol, &context)));
    return constant ? std::optional(constant.getValue()) : std::nullopt;
  }

  MLIRContext context;
};

/// Law: the value is that of substitution.
TEST_F(CompiledExprTest, AgreesWithSubstitution) {
  for (StringRef text :
       {"7", "d0", "s0", "d0 + d1 * 3 - s0", "(d0 - 5) mod 3", "(d0 - 5) floordiv 3",
        "(d0 - 5) ceildiv 3", "(d0 * 4 + d1) mod 3 + (d0 * 4 + d1) floordiv 3 - s0 * 2"}) {
    AffineExpr expr = parse(text);
    CompiledExpr compiled(expr);
    for (int64_t d0 = 0; d0 < 9; ++d0)
      for (int64_t d1 = 0; d1 < 4; ++d1)
        for (int64_t s0 : {1, 6})
          EXPECT_EQ(compiled.evaluate({d0, d1}, s0), substitute(expr, {d0, d1}, s0)) << text.str();
  }
}

TEST_F(CompiledExprTest, HasNoValueForDivisorsThatAreNotPositive) {
  for (StringRef operation : {"mod", "floordiv", "ceildiv"}) {
    AffineExpr expr = parse(("(d0 + 1) " + operation + " s0").str());
    EXPECT_EQ(evaluateExpr(expr, {4, 0}, {0}), std::nullopt);
    EXPECT_EQ(evaluateExpr(expr, {4, 0}, {-2}), std::nullopt);
    EXPECT_EQ(evaluateExpr(expr, {4, 0}, {5}), operation == "mod" ? 0 : 1);
  }
}

TEST_F(CompiledExprTest, HasNoValueWhenItOverflows) {
  EXPECT_EQ(evaluateExpr(parse("d0 + 1"), {INT64_MAX, 0}, {0}), std::nullopt);
  EXPECT_EQ(evaluateExpr(parse("d0 * 2"), {INT64_MAX, 0}, {0}), std::nullopt);
  EXPECT_EQ(evaluateExpr(parse("d0 * s0"), {INT64_MAX, 0}, {1}), INT64_MAX);
}

} // namespace
