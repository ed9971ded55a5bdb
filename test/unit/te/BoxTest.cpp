//===- BoxTest.cpp - boxes hold what an iteration reads ------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Analysis/Box.h"
#include "dialects/te/IR/CompiledExpr.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"
#include <random>

using namespace mlir;
using namespace mlir::tssa;

namespace {

class Box : public testing::Test {
protected:
  Box() {
    context.loadDialect<arith::ArithDialect, func::FuncDialect, tensor::TensorDialect,
                        te::TEDialect>();
  }

  AffineExpr dim(unsigned i) { return getAffineDimExpr(i, &context); }
  AffineExpr constant(int64_t value) { return getAffineConstantExpr(value, &context); }
  int64_t pick(int64_t least, int64_t greatest) {
    return std::uniform_int_distribution<int64_t>(least, greatest)(random);
  }

  te::IndexSimplifier getSimplifier(ArrayRef<int64_t> extents) {
    SmallVector<te::IndexRange> ranges;
    for (int64_t extent : extents)
      ranges.push_back(te::IndexRange::below(constant(extent)));
    return te::IndexSimplifier(&context, ranges, {});
  }

  SmallVector<te::IndexInterval> getLoops(ArrayRef<int64_t> extents, unsigned entered) {
    SmallVector<te::IndexInterval> loops;
    for (auto [loop, extent] : llvm::enumerate(extents))
      loops.push_back(loop < entered ? te::IndexInterval{dim(loop), dim(loop)}
                                     : te::IndexInterval{constant(0), constant(extent - 1)});
    return loops;
  }

  /// A sum of multiples of distinct loops.
  AffineExpr pickSum() {
    AffineExpr sum = constant(pick(-3, 3));
    for (unsigned loop = 0; loop < 4; ++loop)
      sum = sum + dim(loop) * pick(-2, 4);
    return sum;
  }

  AffineExpr pickExpr() {
    AffineExpr expr = pickSum();
    switch (pick(0, 4)) {
    case 0:
      return expr.floorDiv(pick(1, 5)) + pickSum();
    case 1:
      return expr % pick(1, 7) + dim(pick(0, 3));
    case 2:
      return (expr.floorDiv(pick(1, 3)) % pick(1, 5)) * pick(-2, 2);
    case 3:
      return expr.ceilDiv(pick(1, 4));
    default:
      return expr;
    }
  }

  static int64_t evaluate(AffineExpr expr, ArrayRef<int64_t> point) {
    return te::evaluateExpr(expr, point).value();
  }

  /// Returns the least and the greatest value of `expr` where the loops that are entered have the
  /// iterations `point`.
  std::pair<int64_t, int64_t> getEnds(AffineExpr expr, ArrayRef<int64_t> extents,
                                      SmallVector<int64_t> point, unsigned entered) {
    int64_t least = INT64_MAX, greatest = INT64_MIN;
    int64_t count = 1;
    for (int64_t extent : extents.drop_front(entered))
      count *= extent;
    for (int64_t number = 0; number < count; ++number) {
      int64_t rest = number;
      for (unsigned loop = entered; loop < extents.size(); ++loop) {
        point[loop] = rest % extents[loop];
        rest /= extents[loop];
      }
      int64_t value = evaluate(expr, point);
      least = std::min(least, value);
      greatest = std::max(greatest, value);
    }
    return {least, greatest};
  }

  /// Calls `check` with a random iteration of random loops, some of which are entered.
  void repeat(
      llvm::function_ref<void(ArrayRef<int64_t> extents, unsigned entered, ArrayRef<int64_t> point)>
          check) {
    for (int run = 0; run < 2000; ++run) {
      SmallVector<int64_t> extents, point;
      for (int loop = 0; loop < 4; ++loop) {
        extents.push_back(pick(1, 4));
        point.push_back(pick(0, extents.back() - 1));
      }
      check(extents, pick(0, 4), point);
    }
  }

  /// Parses expressions on %a: tensor<64xf32> and %n: tensor<?xf32>, of size %m. Returns them.
  SmallVector<te::ComputeOp> parse(StringRef expressions) {
    std::string text = ("func.func @f(%a: tensor<64xf32>, %n: tensor<?xf32>) {\n"
                        "%c0 = arith.constant 0 : index\n"
                        "%m = tensor.dim %n, %c0 : tensor<?xf32>\n" +
                        expressions + "\nreturn }")
                           .str();
    module = parseSourceString<ModuleOp>(text, &context);
    SmallVector<te::ComputeOp> found;
    module->walk([&](te::ComputeOp compute) { found.push_back(compute); });
    return found;
  }

  /// Returns the box of `member` for an iteration of the first of the loops into which dim 0 of the
  /// last of `expressions` is split; the second has `factor` iterations.
  std::string findBox(ArrayRef<te::ComputeOp> expressions, te::ComputeOp member, int64_t factor) {
    te::BoxRoot root;
    root.op = expressions.back();
    root.regions = {&root.op.getPieces().front(), &root.op.getEpilogue()};
    root.loops = {{dim(0), dim(0)}, {constant(0), constant(factor - 1)}};
    root.toLoops = [&](AffineExpr expr) { return expr.replaceDims({dim(0) * factor + dim(1)}); };
    te::IndexSimplifier simplifier(&context, te::IndexRange::below(constant(64 / factor)), {});
    DenseSet<Operation *> members;
    for (te::ComputeOp op : expressions.drop_back())
      members.insert(op);
    DenseMap<Value, AffineExpr> values;
    te::BoxFinder finder(root, members, values, simplifier);
    std::string text;
    llvm::raw_string_ostream stream(text);
    for (te::IndexInterval interval : finder.getBox(member))
      if (interval)
        print(stream, interval);
      else
        stream << "all";
    return text;
  }

  /// Returns what 4 iterations of dim 0 of `root` read of `member` in all iterations of dim 1.
  std::string findRowsBox(te::ComputeOp op, te::ComputeOp member) {
    te::BoxRoot root;
    root.op = op;
    root.regions = {&op.getPieces().front()};
    root.loops = {{dim(0), dim(0)}, {constant(0), constant(7)}, {constant(0), constant(3)}};
    root.toLoops = [&](AffineExpr expr) { return expr.replaceDims({dim(0) * 4 + dim(2), dim(1)}); };
    te::IndexSimplifier simplifier(&context,
                                   {te::IndexRange::below(constant(16)),
                                    te::IndexRange::below(constant(8)),
                                    te::IndexRange::below(constant(4))},
                                   {});
    DenseMap<Value, AffineExpr> values;
    DenseSet<Operation *> members{member};
    te::BoxFinder finder(root, members, values, simplifier);
    std::string text;
    llvm::raw_string_ostream stream(text);
    print(stream, finder.getBox(member).front());
    return text;
  }

  static void print(llvm::raw_ostream &stream, te::IndexInterval interval) {
    stream << interval.least << " .. " << interval.greatest;
    if (interval.atLeast)
      stream << ", at least " << interval.atLeast;
    if (interval.atMost)
      stream << ", at most " << interval.atMost;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::mt19937 random{7};
};

TEST_F(Box, HoldsAllValues) {
  int known = 0;
  repeat([&](ArrayRef<int64_t> extents, unsigned entered, ArrayRef<int64_t> point) {
    te::IndexSimplifier simplifier = getSimplifier(extents);
    AffineExpr expr = pickExpr();
    te::IndexInterval box = te::getValues(expr, getLoops(extents, entered), simplifier);
    if (!box)
      return;
    ++known;
    auto [least, greatest] = getEnds(expr, extents, llvm::to_vector(point), entered);
    EXPECT_LE(evaluate(box.least, point), least);
    EXPECT_GE(evaluate(box.greatest, point), greatest);
    for (unsigned loop = entered; loop < extents.size(); ++loop)
      EXPECT_FALSE(box.least.isFunctionOfDim(loop) || box.greatest.isFunctionOfDim(loop));
  });
  EXPECT_EQ(known, 2000);
}

TEST_F(Box, SumsOfDistinctLoopsAreExact) {
  repeat([&](ArrayRef<int64_t> extents, unsigned entered, ArrayRef<int64_t> point) {
    te::IndexSimplifier simplifier = getSimplifier(extents);
    AffineExpr expr = pickSum();
    te::IndexInterval box = te::getValues(expr, getLoops(extents, entered), simplifier);
    auto [least, greatest] = getEnds(expr, extents, llvm::to_vector(point), entered);
    EXPECT_EQ(evaluate(box.least, point), least);
    EXPECT_EQ(evaluate(box.greatest, point), greatest);
  });
}

TEST_F(Box, UnionsHoldBoth) {
  int known = 0;
  repeat([&](ArrayRef<int64_t> extents, unsigned entered, ArrayRef<int64_t> point) {
    te::IndexSimplifier simplifier = getSimplifier(extents);
    SmallVector<te::IndexInterval> loops = getLoops(extents, entered);
    AffineExpr expr = pickSum(), other = expr + dim(3) * pick(-2, 2) + pick(-3, 3);
    te::IndexInterval lhs = te::getValues(expr, loops, simplifier);
    te::IndexInterval rhs = te::getValues(other, loops, simplifier);
    te::IndexInterval both = te::unite(lhs, rhs, simplifier);
    if (!both)
      return;
    ++known;
    EXPECT_EQ(evaluate(both.least, point),
              std::min(evaluate(lhs.least, point), evaluate(rhs.least, point)));
    EXPECT_EQ(evaluate(both.greatest, point),
              std::max(evaluate(lhs.greatest, point), evaluate(rhs.greatest, point)));
  });
  EXPECT_GT(known, 1500);
}

TEST_F(Box, Members) {
  SmallVector<te::ComputeOp> ops = parse(R"mlir(
    %x = te.compute (d0: 64) {
      %v = te.read %a[d0] : tensor<64xf32>
      te.yield %v : f32
    } : tensor<64xf32>
    %t = te.compute (d0: 64) {
      %v = te.read %x[d0 - 1] : tensor<64xf32> where (d0 - 1 >= 0) else 0.0
      %w = te.read %x[d0 + 1] : tensor<64xf32> where (-d0 + 62 >= 0) else 0.0
      %z = arith.addf %v, %w : f32
      te.yield %z : f32
    } : tensor<64xf32>
    %s = te.compute () reduce (d0: 64) init (0.0 : f32) {
      %v = te.read %t[d0] : tensor<64xf32>
      te.yield %v : f32
    } combine arith.addf : tensor<f32>
    %y = te.compute (d0: 64) {
      %v = te.read %t[d0] : tensor<64xf32>
      te.yield %v : f32
    } : tensor<64xf32>)mlir");
  ASSERT_EQ(ops.size(), 4u);
  te::ComputeOp x = ops[0], t = ops[1], y = ops[3];
  EXPECT_EQ(findBox({x, t, y}, t, 4), "d0 * 4 .. d0 * 4 + 3");
  EXPECT_EQ(findBox({x, t, y}, x, 4), "d0 * 4 - 1 .. d0 * 4 + 4"); // with what t reads around it
  EXPECT_EQ(findBox({x, t, y}, x, 1), "d0 - 1 .. d0 + 1");
  EXPECT_EQ(findBox(ops, t, 4), "all"); // the sum reads all of it
}

TEST_F(Box, GuardsBound) {
  SmallVector<te::ComputeOp> ops = parse(R"mlir(
    %x = te.compute (d0: 8) {
      %v = te.read %a[d0 * 8] : tensor<64xf32>
      te.yield %v : f32
    } : tensor<8xf32>
    %z = te.compute (d0: 64) reduce (d1: 8) init (0.0 : f32) {
      %v = te.read %x[d1] : tensor<8xf32> where (d0 - d1 * 8 >= 0, d1 * 16 - d0 + 5 >= 0) else 0.0
      te.yield %v : f32
    } combine arith.addf : tensor<64xf32>
    %y = te.compute (d0: 64) reduce (d1: 8) init (0.0 : f32) {
      %v = te.read %x[d1] : tensor<8xf32> where (d0 - d1 * 8 >= 0) else 0.0
      te.yield %v : f32
    } combine arith.addf : tensor<64xf32>)mlir");
  ASSERT_EQ(ops.size(), 3u);
  te::ComputeOp x = ops[0], z = ops[1], y = ops[2];
  EXPECT_EQ(findRowsBox(y, x), "0 .. 7, at most d0 floordiv 2");
  EXPECT_EQ(findRowsBox(z, x), "0 .. 7, at least -((-d0 + 1) floordiv 4), at most d0 floordiv 2");
}

} // namespace
