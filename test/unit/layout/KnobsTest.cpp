//===- KnobsTest.cpp - the knobs of the template -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Template/KnobSpace.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <random>

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

namespace {

constexpr const char *product = R"(
te.kernel @k(%x: tensor<60x48xf32>, %w: tensor<48x96xf32>) -> tensor<60x96xf32> {
  %y = te.compute @y (d0: 60, d1: 96) reduce (d2: 48) init (0.0 : f32) {
    %a = te.read %x[d0, d2] : tensor<60x48xf32>
    %b = te.read %w[d2, d1] : tensor<48x96xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<60x96xf32>
  te.return %y : tensor<60x96xf32>
})";

constexpr const char *convolution = R"(
te.kernel @k(%x: tensor<1x30x32x16xf32>, %w: tensor<24x16x3x3xf32>) -> tensor<1x28x30x24xf32> {
  %y = te.compute @y (d0: 1, d1: 28, d2: 30, d3: 24) reduce (d4: 16, d5: 3, d6: 3) init (0.0 : f32) {
    %a = te.read %x[d0, d1 + d5, d2 + d6, d4] : tensor<1x30x32x16xf32>
    %b = te.read %w[d3, d4, d5, d6] : tensor<24x16x3x3xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<1x28x30x24xf32>
  te.return %y : tensor<1x28x30x24xf32>
})";

/// A product that has dot products of words of two elements.
constexpr const char *words = R"(
te.kernel @k(%x: tensor<60x48xbf16>, %w: tensor<48x96xbf16>) -> tensor<60x96xf32> {
  %y = te.compute @y (d0: 60, d1: 96) reduce (d2: 48) init (0.0 : f32) {
    %a = te.read %x[d0, d2] : tensor<60x48xbf16>
    %b = te.read %w[d2, d1] : tensor<48x96xbf16>
    %u = arith.extf %a : bf16 to f32
    %v = arith.extf %b : bf16 to f32
    %p = arith.mulf %u, %v : f32
    te.yield %p : f32
  } combine arith.addf : tensor<60x96xf32>
  te.return %y : tensor<60x96xf32>
})";

/// The sums of rows, whose lanes may be joined.
constexpr const char *sums = R"(
te.kernel @k(%x: tensor<8x40xf32>) -> tensor<8xf32> {
  %y = te.compute @y (d0: 8) reduce (d1: 40) init (0.0 : f32) {
    %a = te.read %x[d0, d1] : tensor<8x40xf32>
    te.yield %a : f32
  } combine arith.addf : tensor<8xf32>
  te.return %y : tensor<8xf32>
})";

constexpr const char *transpose = R"(
te.kernel @k(%x: tensor<12x40x24xf32>) -> tensor<40x12x24xf32> {
  %y = te.compute @y (d0: 40, d1: 12, d2: 24) {
    %a = te.read %x[d1, d0, d2] : tensor<12x40x24xf32>
    te.yield %a : f32
  } : tensor<40x12x24xf32>
  te.return %y : tensor<40x12x24xf32>
})";

class KnobsTest : public ::testing::TestWithParam<const char *> {
protected:
  KnobsTest() {
    context.loadDialect<te::TEDialect, arith::ArithDialect>();
    machine.bf16Products = 64;
    module = parseSourceString<ModuleOp>(GetParam(), &context);
    module->walk([&](te::ComputeOp compute) { op = compute; });
    roles = getRoles(op);
    accesses = getAccesses(op);
    space.emplace(op, accesses, roles, machine);
  }

  MLIRContext context;
  MachineModel machine;
  OwningOpRef<ModuleOp> module;
  te::ComputeOp op;
  Roles roles;
  SmallVector<Access> accesses;
  std::optional<KnobSpace> space;
};

TEST_P(KnobsTest, RankedPointsAreEncodedAndDecoded) {
  std::vector<RankedPoint> ranked = rankPoints(op, accesses, machine);
  for (const RankedPoint &entry : ranked) {
    std::optional<std::vector<int64_t>> values = space->encode(entry.point);
    ASSERT_TRUE(values) << space->printLoops(entry.point);
    std::optional<Point> decoded = space->decode(*values);
    ASSERT_TRUE(decoded);
    EXPECT_EQ(space->printLoops(*decoded), space->printLoops(entry.point));
  }
  EXPECT_EQ(space->getPicks().size(), ranked.size());
}

TEST_P(KnobsTest, WhatIsSetIsWhatIsRead) {
  std::mt19937 random(7);
  unsigned found = 0;
  for (unsigned i = 0; i < 100000 && found < 100; ++i) {
    std::vector<int64_t> values;
    for (const std::vector<int64_t> &list : space->getValues())
      values.push_back(list[random() % list.size()]);
    std::optional<Point> point = space->decode(values);
    if (!point)
      continue;
    std::optional<std::vector<int64_t>> canonical = space->encode(*point);
    ASSERT_TRUE(canonical);
    Point again = *space->decode(*canonical);
    for (auto [knob, value, list] :
         llvm::zip_equal(space->getKnobs(), *canonical, space->getValues()))
      EXPECT_EQ(knob->get(*space, again).value_or(list.front()), value) << knob->name.str();
    ++found;
  }
  EXPECT_EQ(found, 100u);
}

/// One cost model ranks the points of all kernels.
TEST_P(KnobsTest, AllSpacesHaveTheSameFeatures) {
  FeatureList list;
  space->addFeatures(rankPoints(op, accesses, machine).front().point, list);
  static const std::vector<std::string> first = list.names;
  EXPECT_EQ(list.names, first);
}

INSTANTIATE_TEST_SUITE_P(Ops, KnobsTest,
                         ::testing::Values(product, words, convolution, sums, transpose));

TEST(Knobs, DotProductsHaveOne) {
  MLIRContext context;
  context.loadDialect<te::TEDialect, arith::ArithDialect>();
  for (auto [text, expected] : {std::pair(product, false), {words, true}}) {
    auto module = parseSourceString<ModuleOp>(text, &context);
    auto op =
        *(*module->getOps<te::KernelOp>().begin()).getBodyBlock().getOps<te::ComputeOp>().begin();
    SmallVector<Access> accesses = getAccesses(op);
    MachineModel machine;
    machine.bf16Products = 64;
    Roles roles = getRoles(op);
    KnobSpace space(op, accesses, roles, machine);
    EXPECT_EQ(llvm::any_of(space.getKnobs(), [](const Knob *knob) { return knob->name == "atom"; }),
              expected);
  }
}

} // namespace
