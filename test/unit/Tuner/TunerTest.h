//===- TunerTest.h - a context and the texts of some tasks ------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TEST_UNIT_TUNER_TUNERTEST_H
#define TEST_UNIT_TUNER_TUNERTEST_H

#include "mlir/IR/MLIRContext.h"
#include "tssa/Pipeline/Stages.h"
#include "tssa/Tuner/TaskKernel.h"
#include "gtest/gtest.h"

/// A context with all dialects, and the machine of the tasks.
class TunerTest : public testing::Test {
protected:
  TunerTest() {
    mlir::DialectRegistry registry;
    tssa::registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    context.disableMultithreading();
  }

  std::unique_ptr<tssa::tuner::TaskKernel> createTask(llvm::StringRef text) {
    auto task = tssa::tuner::TaskKernel::create(text, context, machine);
    EXPECT_TRUE(static_cast<bool>(task)) << (task ? "" : llvm::toString(task.takeError()));
    return task ? std::move(*task) : nullptr;
  }

  mlir::MLIRContext context;
  mlir::tssa::layout::MachineModel machine;
};

/// A product of 64 x 48 and 48 x 32 elements, the second of them constant.
inline constexpr llvm::StringLiteral productTask = R"(// constants: 1
te.kernel @kernel(%x: tensor<64x48xf32>, %w: tensor<48x32xf32>) -> tensor<64x32xf32> {
  %y = te.compute @y (d0: 64, d1: 32) reduce (d2: 48) init (0.0 : f32) {
    %a = te.read %x[d0, d2] : tensor<64x48xf32>
    %b = te.read %w[d2, d1] : tensor<48x32xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<64x32xf32>
  te.return %y : tensor<64x32xf32>
})";

/// A 3x3 convolution of 16 channels on 14x14 pixels with a border, channels last at both ends.
inline constexpr llvm::StringLiteral convolutionTask = R"(// constants: 1
te.kernel @kernel(%x: tensor<1x16x14x14xf32>, %w: tensor<16x16x3x3xf32> {te.finite}) -> tensor<1x16x14x14xf32> {
  %y = te.compute @y (d0: 1, d1: 16, d2: 14, d3: 14) reduce (d4: 16, d5: 3, d6: 3) init (0.0 : f32) {
    %a = te.read %x[d0, d4, d2 + d5 - 1, d3 + d6 - 1] : tensor<1x16x14x14xf32> where (d2 + d5 - 1 >= 0, 14 - d2 - d5 >= 0, d3 + d6 - 1 >= 0, 14 - d3 - d6 >= 0) else 0.0
    %b = te.read %w[d1, d4, d5, d6] : tensor<16x16x3x3xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<1x16x14x14xf32>
  te.return %y : tensor<1x16x14x14xf32>
} schedule {
  layout.store @y as map<reorder(0, 2, 3, 1)>
  layout.store 0 as map<reorder(0, 2, 3, 1)>
})";

/// Attention in boxes of rows.
inline constexpr llvm::StringLiteral attentionTask = R"(// constants:
te.kernel @kernel(%arg0: tensor<1x128xi64>, %arg1: tensor<1x128x128xf32>, %arg2: tensor<1x128x128xf32>, %arg3: tensor<1x128x128xf32>) -> tensor<1x128x2x64xf32> {
  %c0_i64 = arith.constant 0 : i64
  %cst = arith.constant 0.000000e+00 : f32
  %cst_0 = arith.constant -3.40282347E+38 : f32
  %cst_1 = arith.constant 1.000000e+00 : f32
  %0 = te.compute @contract (d0: 1, d1: 128, d2: 2, d3: 128) reduce (d4: 64) init (0.000000e+00 : f32) {
    %5 = te.read %arg1[0, d1, d2 * 64 + d4] : tensor<1x128x128xf32>
    %6 = te.read %arg2[0, d3, d2 * 64 + d4] : tensor<1x128x128xf32>
    %7 = arith.mulf %5, %6 : f32
    te.yield %7 : f32
  } combine arith.addf then (%arg4: f32) {
    %5 = te.read %arg0[0, d3] : tensor<1x128xi64>
    %6 = arith.cmpi ne, %5, %c0_i64 : i64
    %7 = arith.select %6, %cst, %cst_0 : f32
    %8 = arith.addf %arg4, %7 : f32
    te.yield %8 : f32
  } : tensor<1x128x2x128xf32>
  %1 = te.compute @max (d0: 1, d1: 128, d2: 2) reduce (d3: 128) init (0xFF800000 : f32) {
    %5 = te.read %0[d0, d1, d2, d3] : tensor<1x128x2x128xf32>
    te.yield %5 : f32
  } combine arith.maximumf : tensor<1x128x2xf32>
  %2 = te.compute @map (d0: 1, d1: 128, d2: 2, d3: 128) {
    %5 = te.read %1[d0, d1, d2] : tensor<1x128x2xf32>
    %6 = te.read %0[d0, d1, d2, d3] : tensor<1x128x2x128xf32>
    %7 = arith.subf %6, %5 : f32
    %8 = math.exp %7 : f32
    %9 = arith.cmpf une, %8, %8 : f32
    %cst_2 = arith.constant 0.000000e+00 : f32
    %10 = arith.select %9, %cst_2, %8 : f32
    te.yield %10 : f32
  } : tensor<1x128x2x128xf32>
  %3 = te.compute @sum (d0: 1, d1: 128, d2: 2) reduce (d3: 128) init (0.000000e+00 : f32) {
    %5 = te.read %2[d0, d1, d2, d3] : tensor<1x128x2x128xf32>
    te.yield %5 : f32
  } combine arith.addf then (%arg4: f32) {
    %cst_2 = arith.constant 1.000000e+00 : f32
    %5 = arith.maximumf %arg4, %cst_2 : f32
    %6 = arith.divf %cst_1, %5 : f32
    te.yield %6 : f32
  } : tensor<1x128x2xf32>
  %4 = te.compute @contract1 (d0: 1, d1: 128, d2: 2, d3: 64) reduce (d4: 128) init (0.000000e+00 : f32) {
    %5 = te.read %2[d0, d1, d2, d4] : tensor<1x128x2x128xf32>
    %6 = te.read %arg3[0, d4, d2 * 64 + d3] : tensor<1x128x128xf32>
    %7 = arith.mulf %5, %6 : f32
    te.yield %7 : f32
  } combine arith.addf then (%arg4: f32) {
    %5 = te.read %3[d0, d1, d2] : tensor<1x128x2xf32>
    %6 = arith.mulf %arg4, %5 : f32
    te.yield %6 : f32
  } : tensor<1x128x2x64xf32>
  te.return %4 : tensor<1x128x2x64xf32>
} schedule {
  layout.store 2 as map<reorder(0, 2, 1)>
}
)";

/// The sums of rows, and the rows divided by them.
inline constexpr llvm::StringLiteral rowsTask = R"(// constants:
te.kernel @kernel(%x: tensor<32x40xf32>) -> tensor<32x40xf32> {
  %s = te.compute @s (d0: 32) reduce (d1: 40) init (0.0 : f32) {
    %a = te.read %x[d0, d1] : tensor<32x40xf32>
    te.yield %a : f32
  } combine arith.addf : tensor<32xf32>
  %y = te.compute @y (d0: 32, d1: 40) {
    %a = te.read %x[d0, d1] : tensor<32x40xf32>
    %b = te.read %s[d0] : tensor<32xf32>
    %q = arith.divf %a, %b : f32
    te.yield %q : f32
  } : tensor<32x40xf32>
  te.return %y : tensor<32x40xf32>
})";

#endif // TEST_UNIT_TUNER_TUNERTEST_H
