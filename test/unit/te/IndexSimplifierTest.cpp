//===- IndexSimplifierTest.cpp - the laws of the index simplifier -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Analysis/IndexSimplifier.h"
#include "dialects/te/IR/CompiledExpr.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/MathExtras.h"
#include "gtest/gtest.h"
#include <random>

using namespace mlir;
using namespace mlir::tssa::te;

namespace {

/// Calls `fn` for every point of a box.
void forEachPoint(ArrayRef<int64_t> sizes, llvm::function_ref<void(ArrayRef<int64_t>)> fn) {
  SmallVector<int64_t> point(sizes.size(), 0);
  if (llvm::is_contained(sizes, 0))
    return;
  while (true) {
    fn(point);
    unsigned dim = 0;
    while (dim < sizes.size() && ++point[dim] == sizes[dim])
      point[dim++] = 0;
    if (dim == sizes.size())
      return;
  }
}

class IndexSimplifierTest : public ::testing::Test {
protected:
  AffineExpr parse(StringRef text) {
    std::string map = ("affine_map<(d0, d1, d2)[s0, s1] -> (" + text + ")>").str();
    return cast<AffineMapAttr>(parseAttribute(map, &context)).getValue().getResult(0);
  }
  AffineExpr dim(unsigned i) { return getAffineDimExpr(i, &context); }
  AffineExpr symbol(unsigned i) { return getAffineSymbolExpr(i, &context); }
  AffineExpr constant(int64_t value) { return getAffineConstantExpr(value, &context); }

  MLIRContext context;
};

std::string print(AffineExpr expr) {
  std::string text;
  llvm::raw_string_ostream(text) << expr;
  return text;
}

TEST_F(IndexSimplifierTest, ConstantSizes) {
  SmallVector<IndexRange> dims;
  for (int64_t size : {12, 64, 3})
    dims.push_back(IndexRange::below(constant(size)));
  IndexSimplifier simplifier(&context, dims, {});
  const std::pair<const char *, const char *> cases[] = {
      {"(d0 * 64 + d1) floordiv 64", "d0"},
      {"(d0 * 64 + d1) mod 64", "d1"},
      {"(d0 * 768 + d1) floordiv 64", "d0 * 12"},
      {"(d0 * 64 + d1) floordiv 128", "d0 floordiv 2"},
      {"(d0 * 64 + d1) mod 128", "d1 + (d0 mod 2) * 64"},
      {"(d1 floordiv 4) floordiv 3", "d1 floordiv 12"},
      {"(d1 floordiv 4) * 4 + d1 mod 4", "d1"},
      {"((d1 floordiv 4) mod 2) * 4 + d1 mod 4", "d1 mod 8"},
      {"(d1 mod 12) mod 4", "d1 mod 4"},
      {"(d1 mod 12) floordiv 4", "(d1 floordiv 4) mod 3"},
      {"d0 mod 12", "d0"},
      {"(d0 - 12) floordiv 12", "-1"},
      {"(d0 + d1 * 12 + d2 * 768) floordiv 768", "d2"},
      {"((d0 + d1 * 12 + d2 * 768) mod 768) floordiv 12", "d1"},
      {"d0 ceildiv 12", "(d0 + 11) floordiv 12"},
      {"(d0 * 2 + 1) floordiv 2", "d0"},
      {"(d0 * 4 + 2) mod 8", "(d0 mod 2) * 4 + 2"},
      {"d0 - d0", "0"},
  };
  for (auto [before, after] : cases)
    EXPECT_EQ(print(simplifier.simplify(parse(before))), after) << before;
}

TEST_F(IndexSimplifierTest, SymbolSizes) {
  // d0 < s1, d1 < s0, d2 < 4
  SmallVector<IndexRange> dims = {IndexRange::below(symbol(1)), IndexRange::below(symbol(0)),
                                  IndexRange::below(constant(4))};
  SmallVector<IndexRange> symbols(2, IndexRange::atLeast(1));
  IndexSimplifier simplifier(&context, dims, symbols);
  const std::pair<const char *, const char *> cases[] = {
      {"(d0 * s0 + d1) floordiv s0", "d0"},
      {"(d0 * s0 + d1) mod s0", "d1"},
      {"((d0 * s0 + d1) * 4 + d2) floordiv 4", "d0 * s0 + d1"},
      {"(((d0 * s0 + d1) * 4 + d2) floordiv 4) mod s0", "d1"},
      {"(d0 * s0 * 4 + d1 * 4 + d2) floordiv (s0 * 4)", "d0"},
      {"d0 mod s1", "d0"},
      {"(s0 - 1 - d1) floordiv s0", "0"},
      {"(d0 floordiv s0) * s0 + d0 mod s0", "d0"},
      {"(d0 + s1) mod s1", "d0"},
  };
  for (auto [before, after] : cases)
    EXPECT_EQ(print(simplifier.simplify(parse(before))), after) << before;
}

TEST_F(IndexSimplifierTest, Proofs) {
  SmallVector<IndexRange> dims = {IndexRange::below(symbol(1)), IndexRange::below(symbol(0)),
                                  IndexRange::below(constant(4))};
  SmallVector<IndexRange> symbols(2, IndexRange::atLeast(1));
  IndexSimplifier simplifier(&context, dims, symbols);
  EXPECT_TRUE(simplifier.isNonNegative(parse("s0 * s1 - 1 - d0 * s0 - d1")));
  EXPECT_FALSE(simplifier.isNonNegative(parse("s0 * s1 - 2 - d0 * s0 - d1")));
  EXPECT_FALSE(simplifier.isNonNegative(parse("d1 - 1")));
  EXPECT_EQ(simplifier.decide(parse("3 - d2"), false), Truth::Always);
  EXPECT_EQ(simplifier.decide(parse("d2 - 4"), false), Truth::Never);
  EXPECT_EQ(simplifier.decide(parse("d2 - 3"), false), Truth::Unknown);
  EXPECT_EQ(simplifier.decide(parse("d2 - 4"), true), Truth::Never);
  EXPECT_FALSE(simplifier.isNonNegative(parse("s0 - 2 - d1")));
  simplifier.assumeNonNegative(parse("s0 - 2 - d1"));
  EXPECT_TRUE(simplifier.isNonNegative(parse("s0 - 2 - d1")));
}

TEST_F(IndexSimplifierTest, DefinedSymbols) {
  // d0 < s0, where s0 = (s1 - 3) floordiv 2 + 1, as for the output of a convolution.
  IndexRange output = IndexRange::atLeast(1);
  output.definition = (symbol(1) - 3).floorDiv(2) + 1;
  SmallVector<IndexRange> dims = {IndexRange::below(symbol(0)), IndexRange::below(constant(3))};
  IndexSimplifier simplifier(&context, dims, {output, IndexRange::atLeast(1)});
  EXPECT_TRUE(simplifier.isNonNegative(parse("s1 - 1 - d0 * 2 - d1")));
  EXPECT_FALSE(simplifier.isNonNegative(parse("s1 - 2 - d0 * 2 - d1")));
}

TEST_F(IndexSimplifierTest, DimsAreReplacedBeforeWhatBoundsThem) {
  // d0 < s0, where s0 = s1 floordiv 2. The quotient must not be replaced before the bound of d0
  // introduces the same one.
  IndexRange half = IndexRange::atLeast(0);
  half.definition = symbol(1).floorDiv(2);
  SmallVector<IndexRange> dims = {IndexRange::below(symbol(0))};
  IndexSimplifier simplifier(&context, dims, {half, IndexRange::atLeast(1)});
  EXPECT_TRUE(simplifier.isNonNegative(parse("s1 floordiv 2 - 1 - d0")));
  EXPECT_TRUE(simplifier.isNonNegative(parse("(s1 floordiv 2) * 2 - 2 - d0 * 2")));
  EXPECT_FALSE(simplifier.isNonNegative(parse("s1 floordiv 2 - 2 - d0")));
}

TEST_F(IndexSimplifierTest, QuotientsOfBoundedDims) {
  // d0 < 2 * s0 and d1 < s1. Nothing else is known of s0 and s1.
  SmallVector<IndexRange> dims = {IndexRange::below(symbol(0) * 2), IndexRange::below(symbol(1))};
  IndexSimplifier simplifier(&context, dims, {IndexRange(), IndexRange()});
  EXPECT_TRUE(simplifier.isNonNegative(parse("s0 - 1 - d0 floordiv 2")));
  EXPECT_FALSE(simplifier.isNonNegative(parse("s0 - 2 - d0 floordiv 2")));
  EXPECT_TRUE(simplifier.isNonNegative(parse("s0 * 3 - 1 - (d0 * 3 + 5) floordiv 2 + 3")));
  EXPECT_FALSE(simplifier.isNonNegative(parse("s0 - 1 - (d0 + d1) floordiv 2")));
  // d0 < s1, where s1 = 2 * s0.
  IndexRange twice;
  twice.definition = symbol(0) * 2;
  IndexSimplifier defined(&context, {IndexRange::below(symbol(1))}, {IndexRange(), twice});
  EXPECT_TRUE(defined.isNonNegative(parse("s0 - 1 - d0 floordiv 2")));
  EXPECT_FALSE(defined.isNonNegative(parse("s0 - 2 - d0 floordiv 2")));
}

TEST_F(IndexSimplifierTest, OverflowIsNoAnswer) {
  IndexSimplifier simplifier(&context, {}, {});
  AffineExpr expr = parse("(d0 * 4611686018427387904) * 4 + d1");
  EXPECT_EQ(simplifier.simplify(expr), expr);
  EXPECT_FALSE(simplifier.isNonNegative(expr));
}

/// A random expression of bounded depth. Divisors are constants or symbols.
class RandomExpr {
public:
  RandomExpr(MLIRContext &context, unsigned seed) : context(context), random(seed) {}

  AffineExpr get(unsigned depth) {
    if (depth == 0 || pick(6) == 0)
      return leaf();
    switch (pick(6)) {
    case 0:
    case 1:
      return get(depth - 1) + get(depth - 1);
    case 2:
      return get(depth - 1) * (static_cast<int64_t>(pick(9)) - 3);
    case 3:
      return get(depth - 1) * getAffineSymbolExpr(pick(2), &context);
    case 4:
      return get(depth - 1).floorDiv(divisor());
    default:
      return get(depth - 1) % divisor();
    }
  }

  unsigned pick(unsigned n) { return random() % n; }

private:
  AffineExpr leaf() {
    switch (pick(6)) {
    case 0:
      return getAffineConstantExpr(static_cast<int64_t>(pick(9)) - 3, &context);
    case 1:
      return getAffineSymbolExpr(pick(2), &context);
    default:
      return getAffineDimExpr(pick(3), &context);
    }
  }

  AffineExpr divisor() {
    const int64_t constants[] = {2, 3, 4, 6, 12};
    if (pick(3) == 0)
      return getAffineSymbolExpr(pick(2), &context) * (pick(2) ? 1 : 2);
    return getAffineConstantExpr(constants[pick(5)], &context);
  }

  MLIRContext &context;
  std::mt19937 random;
};

TEST_F(IndexSimplifierTest, RandomExpressionsKeepTheirValues) {
  const int64_t sizes[] = {1, 2, 3, 4, 7, 12};
  RandomExpr random(context, 7);
  unsigned smaller = 0;
  for (unsigned trial = 0; trial < 4000; ++trial) {
    // Extents are a constant, s0 or s1.
    SmallVector<AffineExpr> extents;
    SmallVector<IndexRange> dims;
    for (unsigned i = 0; i < 3; ++i) {
      unsigned kind = random.pick(3);
      extents.push_back(kind ? symbol(kind - 1) : constant(sizes[random.pick(6)]));
      dims.push_back(IndexRange::below(extents.back()));
    }
    AffineExpr expr = random.get(4);
    IndexSimplifier simplifier(&context, dims, {IndexRange::atLeast(1), IndexRange::atLeast(1)});
    AffineExpr simple = simplifier.simplify(expr);
    bool nonNegative = simplifier.isNonNegative(expr);
    Truth truth = simplifier.decide(expr, false), equal = simplifier.decide(expr, true);
    std::optional<int64_t> upper = simplifier.getConstantUpperBound(expr);
    std::optional<int64_t> lower = simplifier.getConstantLowerBound(expr);
    smaller += getExprSize(simple) < getExprSize(expr);
    for (SmallVector<int64_t> symbols : {SmallVector<int64_t>{1, 1}, {2, 3}, {5, 2}, {4, 4}}) {
      SmallVector<int64_t> box;
      for (AffineExpr extent : extents)
        box.push_back(*evaluateExpr(extent, {}, symbols));
      bool failed = false;
      forEachPoint(box, [&](ArrayRef<int64_t> point) {
        std::optional<int64_t> expected = evaluateExpr(expr, point, symbols);
        if (failed || !expected)
          return;
        failed = evaluateExpr(simple, point, symbols) != expected ||
                 (nonNegative && *expected < 0) || (truth == Truth::Always && *expected < 0) ||
                 (truth == Truth::Never && *expected >= 0) ||
                 (equal == Truth::Always && *expected != 0) ||
                 (equal == Truth::Never && *expected == 0) || (upper && *expected > *upper) ||
                 (lower && *expected < *lower);
      });
      ASSERT_FALSE(failed) << print(expr) << " became " << print(simple);
    }
  }
  EXPECT_GT(smaller, 1000u);
}

} // namespace
