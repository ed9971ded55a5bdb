//===- SpaceTest.cpp - the points of the template -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Template/Space.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

namespace {

/// A grouped convolution of eight groups, padded along d3.
constexpr const char *grouped = R"(
te.kernel @k(%x: tensor<1x64x30x32xf32>, %w: tensor<64x8x3x3xf32>) -> tensor<1x64x28x32xf32> {
  %y = te.compute @y (d0: 1, d1: 64, d2: 28, d3: 32) reduce (d4: 8, d5: 3, d6: 3) init (0.0 : f32) {
    %a = te.read %x[d0, (d1 floordiv 8) * 8 + d4, d2 + d5, d3 + d6 - 1] : tensor<1x64x30x32xf32> where (d3 + d6 - 1 >= 0, -d3 - d6 + 32 >= 0) else 0.0
    %b = te.read %w[d1, d4, d5, d6] : tensor<64x8x3x3xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<1x64x28x32xf32>
  te.return %y : tensor<1x64x28x32xf32>
})";

class SpaceTest : public ::testing::Test {
protected:
  SpaceTest() {
    context.loadDialect<te::TEDialect, arith::ArithDialect, math::MathDialect>();
    module = parseSourceString<ModuleOp>(grouped, &context);
    module->walk([&](te::ComputeOp compute) { op = compute; });
    roles = getRoles(op);
    accesses = getAccesses(op);
  }

  /// A point that can be written: 16 lanes along d3, two rows along d1.
  static Point getPoint() {
    Point point;
    point.vectorDim = 3;
    point.lanes = 16;
    point.rows = {{1, 2, 0}};
    point.unrolled = {{6, 0}};
    point.outer = {0, 1, 2, 3};
    point.reductions = {4, 5, 6};
    return point;
  }

  std::string findObstacle(const Point &point) {
    return layout::findObstacle(op, roles, point, machine);
  }

  MLIRContext context;
  MachineModel machine;
  OwningOpRef<ModuleOp> module;
  te::ComputeOp op;
  Roles roles;
  SmallVector<Access> accesses;
};

TEST_F(SpaceTest, ObstaclesNameTheKnob) {
  EXPECT_EQ(findObstacle(getPoint()), "");
  auto obstacle = [&](function_ref<void(Point &)> change) {
    Point point = getPoint();
    change(point);
    return findObstacle(point);
  };
  EXPECT_EQ(obstacle([](Point &p) { p.vectorDim = 7; }), "vector: expected a dim");
  EXPECT_EQ(obstacle([](Point &p) { p.lanes = 12; }),
            "vector: expected 2 to 16 lanes, a power of two");
  EXPECT_EQ(obstacle([](Point &p) { p.lanes = 32; }),
            "vector: expected 2 to 16 lanes, a power of two");
  EXPECT_EQ(obstacle([](Point &p) { p.rows[0].extent = 3; }),
            "rows: a tile of d1 lies in several groups");
  EXPECT_EQ(obstacle([](Point &p) { p.rows[0].dim = 3; }), "rows: d3 is already tiled or fused");
  EXPECT_EQ(obstacle([](Point &p) { p.rows.push_back({2, 28, 0}); }),
            "rows: 56 sums do not fit into the registers");
  EXPECT_EQ(obstacle([](Point &p) { p.unrolled.push_back({2, 0}); }),
            "unroll: d2 is not a reduction dim");
  EXPECT_EQ(obstacle([](Point &p) {
              p.rows[0].extent = 8;
              p.unrolled = {{4, 0}, {5, 0}, {6, 0}};
            }),
            "unroll: a step has more code than 420 multiply-adds");
  EXPECT_EQ(obstacle([](Point &p) { p.outer = {0, 1, 1, 3}; }),
            "outer: expected each parallel dim once");
  EXPECT_EQ(obstacle([](Point &p) { p.reductions = {4, 5}; }),
            "reduce: expected each reduction dim once");
}

/// A function is expanded in place, so its code counts for the length of a step.
TEST_F(SpaceTest, FunctionsAreLongCode) {
  auto obstacle = [&](StringRef function) {
    std::string text = (Twine(R"(
te.kernel @norm(%x: tensor<64x30x32xf32>) -> tensor<64x28x32xf32> {
  %y = te.compute @y (d0: 64, d1: 28, d2: 32) reduce (d3: 3) init (0.0 : f32) {
    %a = te.read %x[d0, d1 + d3, d2] : tensor<64x30x32xf32>
    %p = )") + function +
                        R"( : f32
    te.yield %p : f32
  } combine arith.addf : tensor<64x28x32xf32>
  te.return %y : tensor<64x28x32xf32>
})")
                           .str();
    module = parseSourceString<ModuleOp>(text, &context);
    module->walk([&](te::ComputeOp compute) { op = compute; });
    roles = getRoles(op);
    Point point;
    point.vectorDim = 2;
    point.lanes = 16;
    point.rows = {{1, 4, 0}};
    point.unrolled = {{3, 0}};
    point.outer = {0, 1, 2};
    point.reductions = {3};
    return findObstacle(point);
  };
  constexpr const char *refused = "unroll: a step has more code than 420 multiply-adds";
  EXPECT_EQ(obstacle("arith.mulf %a, %a"), "");
  EXPECT_EQ(obstacle("math.exp %a"), "");
  EXPECT_EQ(obstacle("math.powf %a, %a"), refused);
}

TEST_F(SpaceTest, ObstaclesOfMatrices) {
  module = parseSourceString<ModuleOp>(R"(
te.kernel @heads(%q: tensor<4x128x64xbf16>, %k: tensor<4x64x128xbf16>) -> tensor<4x128x128xf32> {
  %y = te.compute @y (d0: 4, d1: 128, d2: 128) reduce (d3: 64) init (0.0 : f32) {
    %a = te.read %q[d0, d1, d3] : tensor<4x128x64xbf16>
    %b = te.read %k[d0, d3, d2] : tensor<4x64x128xbf16>
    %u = arith.extf %a : bf16 to f32
    %v = arith.extf %b : bf16 to f32
    %p = arith.mulf %u, %v : f32
    te.yield %p : f32
  } combine arith.addf : tensor<4x128x128xf32>
  te.return %y : tensor<4x128x128xf32>
})",
                                       &context);
  module->walk([&](te::ComputeOp compute) { op = compute; });
  roles = getRoles(op);
  machine.bf16MatrixProducts = 512;
  auto obstacle = [&](StringRef text) {
    FailureOr<Point> point = parsePoint(text, [](const Twine &why) { ADD_FAILURE() << why.str(); });
    std::string again;
    llvm::raw_string_ostream(again) << *point;
    EXPECT_EQ(again, text);
    return findObstacle(*point);
  };
  EXPECT_EQ(obstacle("vector d2 2x16, rows d1 32, atom d3 32 matrix, outer d0 d1 d2, reduce d3"),
            "");
  EXPECT_EQ(obstacle("vector d2 1x16, rows d1 64, atom d3 32 matrix, outer d0 d1 d2, reduce d3"),
            "");
  EXPECT_EQ(obstacle("vector d2 2x16, rows d1 48, atom d3 32 matrix, outer d0 d1 d2, reduce d3"),
            "rows: 3 parts of up to 16 rows by 2 vectors do not fit into the registers of "
            "matrices");
  EXPECT_EQ(obstacle("vector d2 2x16, rows d0 2, atom d3 32 matrix, outer d0 d1 d2, reduce d3"),
            "rows: the columns of matrices change along d0");
  EXPECT_EQ(obstacle("vector d2 2x16, rows d1 32, atom d3 64 matrix, outer d0 d1 d2, reduce d3"),
            "atom: expected 32 steps of matrices");
  EXPECT_EQ(obstacle("vector d2 2x16, rows d1 4, atom d3 2, outer d0 d1 d2, reduce d3"),
            "atom: the machine has no dot product for these factors and lanes");
}

TEST_F(SpaceTest, RankingIsBoundedOrderedAndRepeatable) {
  std::vector<RankedPoint> points = rankPoints(op, accesses, machine);
  ASSERT_FALSE(points.empty());
  EXPECT_LE(points.size(), 300u);
  EXPECT_TRUE(llvm::is_sorted(
      points, [](const RankedPoint &a, const RankedPoint &b) { return a.cycles < b.cycles; }));
  for (const RankedPoint &entry : points) // one of which is scalar code
    EXPECT_EQ(findObstacle(entry.point), "");
  auto print = [](const RankedPoint &entry) {
    std::string text;
    llvm::raw_string_ostream(text) << entry.point;
    return text;
  };
  std::vector<RankedPoint> again = rankPoints(op, accesses, machine);
  ASSERT_EQ(again.size(), points.size());
  for (auto [a, b] : llvm::zip_equal(points, again))
    EXPECT_EQ(print(a), print(b));
  for (const RankedPoint &entry : points) {
    FailureOr<Point> parsed =
        parsePoint(print(entry), [](const Twine &reason) { ADD_FAILURE() << reason.str(); });
    ASSERT_TRUE(succeeded(parsed));
    EXPECT_EQ(print({*parsed, 0}), print(entry));
  }
}

TEST_F(SpaceTest, TextsThatAreNoPoints) {
  for (StringRef text :
       {"", "vector", "vector d1", "vector d1 2", "vector d1 2x0", "vector d1 2x16,", "rows d1 2",
        "vector d1 1x16, rows d2 -1", "vector d1 1x16, outer", "vector d2*d1 1x16",
        "vector d1 1x99999999999999999999", "scalar, rows d99999999999 2", "scalar x",
        "vector d1 1x16, atom d2 32 matrices"}) {
    std::string reason;
    FailureOr<Point> parsed = parsePoint(text, [&](const Twine &why) { reason = why.str(); });
    EXPECT_TRUE(failed(parsed)) << text.str();
    EXPECT_NE(reason.find("is no knob of a point"), std::string::npos) << text.str();
  }
}

TEST_F(SpaceTest, DraftPrefersLessWork) {
  Draft draft(op, accesses, roles, machine);
  // Half empty vectors take twice as many tiles.
  Point full = getPoint(), half = getPoint();
  half.lanes = 8;
  EXPECT_LT(draft.getCycles(full), draft.getCycles(half));
  // Rows share the loads of the data.
  Point single = getPoint();
  single.rows.clear();
  EXPECT_LT(draft.getCycles(full), draft.getCycles(single));
}

/// A 1x1 convolution of 192 channels takes 229 us in blocks of 16 channels on a Zen 5, 224 us with
/// the channels after the pixels. Its weights follow the loops: no lane is loaded alone.
TEST_F(SpaceTest, DraftKnowsThatWeightsOfBlocksArePacked) {
  auto getBest = [&](StringRef text) {
    module = parseSourceString<ModuleOp>(text, &context);
    te::ComputeOp compute;
    module->walk([&](te::ComputeOp found) { compute = found; });
    SmallVector<Access> reads = getAccesses(compute);
    reads[1].setPackable();
    return rankPoints(compute, reads, machine).front();
  };
  RankedPoint plain = getBest(R"(
te.kernel @k(%x: tensor<192x784xf32>, %w: tensor<192x192xf32>) -> tensor<192x784xf32> {
  %y = te.compute @y (d0: 192, d1: 784) reduce (d2: 192) init (0.0 : f32) {
    %a = te.read %x[d2, d1] : tensor<192x784xf32>
    %b = te.read %w[d0, d2] : tensor<192x192xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<192x784xf32>
  te.return %y : tensor<192x784xf32>
})"),
              blocks = getBest(R"(
te.kernel @k(%x: tensor<12x784x16xf32>, %w: tensor<192x192xf32>) -> tensor<12x784x16xf32> {
  %y = te.compute @y (d0: 12, d1: 784, d2: 16) reduce (d3: 192) init (0.0 : f32) {
    %a = te.read %x[d3 floordiv 16, d1, d3 mod 16] : tensor<12x784x16xf32>
    %b = te.read %w[d0 * 16 + d2, d3] : tensor<192x192xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<12x784x16xf32>
  te.return %y : tensor<12x784x16xf32>
})");
  EXPECT_LT(blocks.cycles, 1.3 * plain.cycles);
  // Blocks are the second direction of a tile, beside pixels.
  EXPECT_EQ(blocks.point.vectorDim, 2u);
  ASSERT_EQ(blocks.point.rows.size(), 2u);
  EXPECT_EQ(blocks.point.rows[0].dim, 0u);
  EXPECT_EQ(blocks.point.rows[1].dim, 1u);
}

} // namespace
