//===- SizeTest.cpp - laws of sizes -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Builder/Size.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"
#include <random>

using namespace tssa::operators;

namespace {

/// A fixture with three sizes N, S and T, the arguments of a block.
class SizeTest : public ::testing::Test {
protected:
  void SetUp() override {
    mlir::Builder builder(&context);
    for (const char *name : {"N", "S", "T"}) {
      mlir::Value value = block.addArgument(builder.getIndexType(), builder.getUnknownLoc());
      symbols.push_back(table.get(value, /*nonNegative=*/true, name));
    }
  }

  mlir::MLIRContext context;
  mlir::Block block;
  SizeTable table;
  std::vector<Size> symbols;
};

int64_t floorDivide(int64_t a, int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

/// Returns the value of `size` if the block arguments have `values`.
int64_t evaluate(const Size &size, const std::vector<int64_t> &values) {
  int64_t sum = 0;
  for (const auto &[monomial, coefficient] : size.terms()) {
    int64_t product = coefficient;
    for (const Atom *atom : monomial) {
      if (atom->kind == Atom::Value) {
        product *= values[mlir::cast<mlir::BlockArgument>(atom->value).getArgNumber()];
        continue;
      }
      int64_t lhs = evaluate(*atom->lhs, values), rhs = evaluate(*atom->rhs, values);
      product *= atom->kind == Atom::Min   ? std::min(lhs, rhs)
                 : atom->kind == Atom::Max ? std::max(lhs, rhs)
                                           : floorDivide(lhs, rhs);
    }
    sum += product;
  }
  return sum;
}

TEST_F(SizeTest, NormalForm) {
  Size n = symbols[0], s = symbols[1];
  EXPECT_EQ(n * 4, n + n + n + n);
  EXPECT_EQ((n * s * 12).floorDiv(s * 3), n * 4);
  EXPECT_EQ((n + 1) * (s + 2), n * s + n * 2 + s + 2);
  EXPECT_EQ(((n + 1) * (s + 2)).divideExactly(n + 1), s + 2);
  EXPECT_FALSE((n * s + 1).divideExactly(n));
  EXPECT_EQ((n * 4 + 3).floorDiv(4), n);
  EXPECT_EQ((n * 2 + 1).floorDiv(4), n.floorDiv(2));
  EXPECT_EQ((n * s + 5).floorDiv(s) - Size(5).floorDiv(s), n);
  EXPECT_EQ(n.ceilDiv(2), (n + 1).floorDiv(2));
  EXPECT_EQ((n * 6).mod(3), Size(0));
}

TEST_F(SizeTest, MinimumAndMaximum) {
  Size n = symbols[0], s = symbols[1];
  EXPECT_EQ(Size::min(n, n + 1), n);
  EXPECT_EQ(Size::max(n, -1), n);
  EXPECT_EQ(Size::min(n, s), Size::min(s, n));
  EXPECT_EQ(Size::max(INT64_MIN, INT64_MAX), Size(INT64_MAX));
  EXPECT_TRUE((n - Size::min(n, 5)).isAtLeast(0));
  EXPECT_TRUE((Size::max(n, 3) - 3).isAtLeast(0));
  EXPECT_FALSE((Size::min(n, s) - 1).isAtLeast(0));
}

TEST_F(SizeTest, Bounds) {
  Size n = symbols[0];
  EXPECT_TRUE(n.isAtLeast(0));
  EXPECT_FALSE(n.isAtLeast(1));
  EXPECT_TRUE((n + 2).differs(1));
  EXPECT_TRUE(n.differs(-1));
  EXPECT_FALSE(n.differs(1));
  EXPECT_TRUE((-n).isAtMost(0));
  EXPECT_TRUE((n - n.floorDiv(2)).isAtLeast(0));
}

TEST_F(SizeTest, QuotientsTimesTheirDivisor) {
  Size n = symbols[0], half = (n - 3).floorDiv(2);
  EXPECT_TRUE((n - 3 - half * 2).isAtLeast(0));
  EXPECT_TRUE((n * 2 - 6 - half * 4 + 1).isAtLeast(1));
  EXPECT_FALSE((n - 3 - half * 2).isAtLeast(1));
  EXPECT_FALSE((n - 3 - half * 3).isAtLeast(0));
}

TEST_F(SizeTest, LearnNonNegative) {
  mlir::Builder builder(&context);
  mlir::Value value = block.addArgument(builder.getIndexType(), builder.getUnknownLoc());
  Size given = table.get(value, /*nonNegative=*/false), n = symbols[0];
  table.learnNonNegative(given - n);
  EXPECT_FALSE(given.isAtLeast(0));
  table.learnNonNegative(given * 2);
  EXPECT_TRUE(given.isAtLeast(0));
  EXPECT_TRUE((given * n + 1).isAtLeast(1));
}

TEST_F(SizeTest, Overflow) {
  Size big = Size(INT64_MAX);
  EXPECT_TRUE((big + 1).overflowed());
  EXPECT_TRUE((big * symbols[0] * 2).overflowed());
  EXPECT_TRUE(((big + 1) - big).overflowed());
  EXPECT_FALSE((big + 1) == (big + 1));
  EXPECT_TRUE((-Size(INT64_MIN)).overflowed());
}

TEST_F(SizeTest, Text) {
  Size n = symbols[0], s = symbols[1];
  EXPECT_EQ((n * s * 3 - n + 1).str(), "3*N*S - N + 1");
  EXPECT_EQ((n * 3).floorDiv(s).str(), "floordiv(3*N, S)");
}

/// In any normal form the value is that of plain arithmetic, and what counts as known holds.
TEST_F(SizeTest, AgreesWithArithmetic) {
  std::mt19937 random(1);
  auto pick = [&](int64_t from, int64_t to) {
    return std::uniform_int_distribution<int64_t>(from, to)(random);
  };
  for (int program = 0; program < 2000; ++program) {
    std::vector<int64_t> values = {pick(0, 9), pick(0, 9), pick(0, 9)};
    std::vector<std::pair<Size, int64_t>> pool;
    for (int i = 0; i < 3; ++i)
      pool.push_back({symbols[i], values[i]});
    for (int step = 0; step < 6; ++step) {
      auto [a, x] = pool[pick(0, pool.size() - 1)];
      auto [b, y] =
          pick(0, 2) ? pool[pick(0, pool.size() - 1)] : std::pair(Size(step), int64_t(step));
      switch (pick(0, 5)) {
      case 0:
        pool.push_back({a + b, x + y});
        break;
      case 1:
        pool.push_back({a - b, x - y});
        break;
      case 2:
        if (std::abs(x) < 1000 && std::abs(y) < 1000)
          pool.push_back({a * b, x * y});
        break;
      case 3:
        if (y > 0)
          pool.push_back({a.floorDiv(b), floorDivide(x, y)});
        break;
      case 4:
        pool.push_back({Size::min(a, b), std::min(x, y)});
        break;
      case 5:
        pool.push_back({Size::max(a, b), std::max(x, y)});
        break;
      }
    }
    for (const auto &[size, value] : pool) {
      if (size.overflowed())
        continue;
      ASSERT_EQ(evaluate(size, values), value) << size.str();
      EXPECT_TRUE(!size.isAtLeast(value + 1)) << size.str();
      EXPECT_TRUE(!size.isAtMost(value - 1)) << size.str();
    }
  }
}

} // namespace
