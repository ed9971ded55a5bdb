//===- DeviceDraftTest.cpp - the time of products on a GPU ----------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Template/DeviceDraft.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace mlir::tssa::layout;

namespace {
/// A product of two f16 matrices, m x k and k x n.
DeviceProduct makeProduct(int64_t m, int64_t n, int64_t k) {
  DeviceProduct product;
  product.numRows = m;
  product.numColumns = n;
  product.numSteps = k;
  product.factorBytes = product.resultBytes = 2;
  product.atom = findAtom("mma.m16n8k16");
  product.hasRowsOfSteps[0] = true;
  product.isCopied[0] = product.isCopied[1] = true;
  return product;
}

/// The tiles of the kernel whose times are published, the tutorial on matrix multiplication of
/// Triton.
const DevicePoint publishedTiles[] = {{true, 128, 256, 2, 4, 64, 3}, {true, 64, 256, 1, 4, 32, 4},
                                      {true, 128, 128, 2, 2, 32, 4}, {true, 128, 64, 2, 2, 32, 4},
                                      {true, 64, 128, 2, 2, 32, 4},  {true, 128, 32, 4, 1, 32, 4},
                                      {true, 64, 32, 2, 1, 32, 5},   {true, 32, 64, 1, 2, 32, 5}};

double predictBest(const DeviceProduct &product, llvm::ArrayRef<DevicePoint> points) {
  double best = INFINITY;
  for (const DevicePoint &point : points)
    best = std::min(best, predictMicroseconds(product, point, DeviceModel()).value_or(INFINITY));
  return best;
}
} // namespace

// Teraflops of square products on an A100, as Triton's tutorial on matrix multiplication publishes
// them. Below 768, its timer's floor shows.
TEST(DeviceDraft, PublishedTimes) {
  const std::pair<int64_t, double> published[] = {
      {768, 68.1},   {1024, 99.9},  {1280, 163.8}, {1536, 157.3}, {1792, 204.4},
      {2048, 190.7}, {2560, 221.4}, {3072, 213.7}, {3584, 225.4}, {4096, 220.0}};
  double sum = 0;
  for (auto [size, teraflops] : published) {
    double flops = 2 * std::pow(static_cast<double>(size), 3);
    double ratio =
        predictBest(makeProduct(size, size, size), publishedTiles) / (flops / teraflops / 1e6);
    EXPECT_GT(ratio, 0.85) << size;
    EXPECT_LT(ratio, 1.15) << size;
    sum += std::log(ratio);
  }
  EXPECT_NEAR(std::exp(sum / std::size(published)), 1, 0.05);
}

// A point that does not fit has no time.
TEST(DeviceDraft, Limits) {
  DeviceProduct product = makeProduct(1024, 1024, 1024);
  DevicePoint large{true, 128, 256, 2, 4, 64, 3};
  EXPECT_TRUE(predictMicroseconds(product, large, DeviceModel()));
  DeviceModel small;
  small.blockSharedBytes = 99 << 10;
  EXPECT_FALSE(predictMicroseconds(product, large, small));
  DeviceModel few;
  few.registers = 16 << 10;
  EXPECT_EQ(countResidentBlocks(getResources(product, large), few), 0);
}

// Few rows leave most of a GPU idle unless blocks are small.
TEST(DeviceDraft, SmallProductsGetSmallTiles) {
  DeviceProduct product = makeProduct(128, 768, 768);
  DevicePoint large{true, 128, 128, 2, 2, 64, 3}, small{true, 16, 64, 1, 2, 64, 3};
  EXPECT_LT(*predictMicroseconds(product, small, DeviceModel()),
            *predictMicroseconds(product, large, DeviceModel()));
}

// A large product takes twice the cycles of tensor cores if its factors have values of tf32.
TEST(DeviceDraft, RateOfTF32) {
  DeviceProduct half = makeProduct(4096, 4096, 4096), single = half;
  single.factorBytes = single.resultBytes = 4;
  single.atom = findAtom("mma.m16n8k8");
  DevicePoint point{true, 128, 128, 2, 2, 32, 4};
  double ratio = *predictMicroseconds(single, point, DeviceModel()) /
                 *predictMicroseconds(half, point, DeviceModel());
  EXPECT_GT(ratio, 1.9);
  EXPECT_LT(ratio, 2.5);
}

namespace {
DeviceProduct makeSingles(int64_t m, int64_t n, int64_t k) {
  DeviceProduct product = makeProduct(m, n, k);
  product.factorBytes = product.resultBytes = 4;
  product.atom = nullptr;
  return product;
}
} // namespace

// Registers as ptxas gives them for products of f32, and instructions of a loop, as counted from
// machine code for sm_80. Sums of more than 1024 values have twice as many.
TEST(DeviceDraft, LaneResources) {
  struct Counted {
    int64_t size;
    DevicePoint point;
    double registers, instructions;
  };
  const Counted counted[] = {{4096, {false, 64, 128, 1, 4, 16, 1, 1, 8, 8}, 185, 1119},
                             {4096, {false, 128, 64, 4, 2, 16, 1, 1, 8, 4}, 117, 584},
                             {4096, {false, 64, 64, 4, 2, 16, 1, 1, 4, 4}, 86, 307},
                             {1024, {false, 64, 128, 1, 4, 16, 1, 1, 8, 8}, 125, 1126},
                             {1024, {false, 128, 64, 4, 2, 16, 1, 1, 8, 4}, 85, 591},
                             {1024, {false, 32, 32, 2, 1, 8, 1, 1, 4, 4}, 69, 166},
                             {1024, {false, 16, 32, 2, 1, 32, 1, 1, 4, 2}, 70, 356},
                             {768, {false, 16, 32, 4, 1, 32, 1, 1, 2, 2}, 64, 214}};
  for (const Counted &each : counted) {
    DeviceResources needs = getResources(makeSingles(each.size, each.size, each.size), each.point);
    EXPECT_NEAR(static_cast<double>(needs.registers) / each.registers, 1, 0.15) << each.registers;
    EXPECT_NEAR(needs.instructions / each.instructions, 1, 0.1) << each.instructions;
  }
  DeviceProduct convolution = makeSingles(64, 56 * 56, 64);
  convolution.numWindows = 9;
  convolution.hasGuards = true;
  convolution.isCopied[1] = false;
  DeviceResources needs = getResources(convolution, {false, 32, 32, 4, 1, 32, 1, 1, 4, 2});
  EXPECT_NEAR(static_cast<double>(needs.registers), 86, 0.15 * 86);
  EXPECT_NEAR(needs.instructions, 374, 0.1 * 374);
}

// Each reason for which a point of lanes cannot be taken.
TEST(DeviceDraft, Obstacles) {
  DeviceProduct product = makeSingles(4096, 4096, 4096);
  auto find = [&](DevicePoint point, DeviceModel device = DeviceModel()) {
    const char *obstacle = findObstacle(product, point, device);
    return llvm::StringRef(obstacle ? obstacle : "");
  };
  DevicePoint large{false, 64, 128, 1, 4, 16, 1, 1, 8, 8};
  EXPECT_EQ(find(large), "");
  DeviceModel small;
  small.blockSharedBytes = 8 << 10;
  EXPECT_EQ(find(large, small), "too much shared memory of a block");
  small = DeviceModel();
  small.registers = 16 << 10;
  EXPECT_EQ(find(large, small), "too many registers or threads of a multiprocessor");
  EXPECT_EQ(find({false, 128, 64, 1, 2, 8, 1, 1, 16, 8}), "too many registers of a thread");
  EXPECT_EQ(find({false, 32, 32, 8, 1, 8, 1, 1, 2, 2}),
            "too few products of a lane in an iteration");
  EXPECT_EQ(find({false, 4, 256, 1, 8, 16, 1, 1, 2, 2}),
            "factors that threads cannot share evenly");
  EXPECT_EQ(find({false, 64, 64, 1, 2, 32, 1, 1, 8, 4}), "too many elements that a lane fills");
}

// A lane of a large product has many sums, so that it seldom reads shared memory; blocks of a small
// one are small.
TEST(DeviceDraft, LaneTiles) {
  DeviceModel device;
  auto choose = [&](int64_t m, int64_t n, int64_t k) {
    return chooseDevicePoint(makeSingles(m, n, k), device)->point;
  };
  DevicePoint large = choose(4096, 4096, 4096), small = choose(128, 768, 768);
  EXPECT_EQ(large.laneRows * large.laneColumns, 64);
  EXPECT_LE(small.rows * small.columns, 1024);
}
