//===- EvaluateAtTest.cpp - kernels at single points ----------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/IR/TEDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "tssa/Reference/Evaluator.h"
#include "tssa/Reference/RandomInputs.h"
#include "gtest/gtest.h"

#include <cstring>

using namespace tssa::reference;
namespace te = mlir::tssa::te;

namespace {
/// A module with one kernel, and random inputs for it.
class EvaluateAt : public testing::Test {
protected:
  void parse(llvm::StringRef text) {
    context.loadDialect<te::TEDialect, mlir::arith::ArithDialect, mlir::math::MathDialect>();
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    ASSERT_TRUE(module);
    kernel = *module->getOps<te::KernelOp>().begin();
    Random random(5);
    for (mlir::Type type : kernel.getArgumentTypes()) {
      auto tensor = llvm::cast<mlir::RankedTensorType>(type);
      ElementKind kind = llvm::cantFail(getElementKind(tensor.getElementType()));
      inputs.push_back(llvm::cantFail(makeRandomTensor(kind, tensor.getShape(), random)));
    }
  }

  /// Expects `elements` to be those that a whole evaluation gives.
  void expectEqual(llvm::ArrayRef<std::vector<int64_t>> elements) {
    auto whole = evaluateKernel(kernel, inputs);
    ASSERT_TRUE(static_cast<bool>(whole)) << toString(whole.takeError());
    auto points = evaluateKernelAt(kernel, inputs, elements);
    ASSERT_TRUE(static_cast<bool>(points)) << toString(points.takeError());
    ASSERT_EQ(points->results.size(), elements.size());
    for (unsigned result = 0; result < elements.size(); ++result)
      for (unsigned i = 0; i < elements[result].size(); ++i)
        EXPECT_EQ(points->results[result].get(i).i, (*whole)[result].get(elements[result][i]).i);
    sumMagnitude = points->sumMagnitude;
  }

  std::string getError(llvm::ArrayRef<std::vector<int64_t>> elements) {
    auto points = evaluateKernelAt(kernel, inputs, elements);
    return points ? "" : toString(points.takeError());
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  te::KernelOp kernel;
  std::vector<HostValue> inputs;
  double sumMagnitude = 0;
};
} // namespace

static constexpr llvm::StringLiteral product = R"(
  te.kernel @product(%a: tensor<5x7xf32>, %b: tensor<7x9xf32>) -> tensor<5x9xf32> {
    %0 = te.compute @c (d0: 5, d1: 9) reduce (d2: 7) init (0.0 : f32) {
      %1 = te.read %a[d0, d2] : tensor<5x7xf32>
      %2 = te.read %b[d2, d1] : tensor<7x9xf32>
      %3 = arith.mulf %1, %2 : f32
      te.yield %3 : f32
    } combine arith.addf : tensor<5x9xf32>
    te.return %0 : tensor<5x9xf32>
  })";

TEST_F(EvaluateAt, ProductOfMatrices) {
  parse(product);
  expectEqual({{0, 8, 13, 44, 13}});
  double largest = 0;
  for (int64_t element : {0, 8, 13, 44}) {
    double sum = 0;
    for (int64_t k = 0; k < 7; ++k)
      sum += std::fabs(inputs[0].tensor->get(element / 9 * 7 + k).f *
                       inputs[1].tensor->get(k * 9 + element % 9).f);
    largest = std::max(largest, sum);
  }
  EXPECT_NEAR(sumMagnitude, largest, 1e-5);
}

TEST_F(EvaluateAt, ConvolutionWithGuards) {
  parse(R"(
  te.kernel @conv(%x: tensor<1x3x5x5xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<1x4x5x5xf32> {
    %0 = te.compute @c (d0: 1, d1: 4, d2: 5, d3: 5) reduce (d4: 3, d5: 3, d6: 3) init (0.0 : f32) {
      %1 = te.read %x[0, d4, d2 + d5 - 1, d3 + d6 - 1] : tensor<1x3x5x5xf32> where (d2 + d5 - 1 >= 0, 5 - d2 - d5 >= 0, d3 + d6 - 1 >= 0, 5 - d3 - d6 >= 0) else 0.0
      %2 = te.read %w[d1, d4, d5, d6] : tensor<4x3x3x3xf32>
      %3 = arith.mulf %1, %2 : f32
      te.yield %3 : f32
    } combine arith.addf : tensor<1x4x5x5xf32>
    te.return %0 : tensor<1x4x5x5xf32>
  })");
  std::vector<int64_t> all(100);
  for (int64_t i = 0; i < 100; ++i)
    all[i] = 99 - i;
  expectEqual({all});
}

TEST_F(EvaluateAt, SeveralExpressionsAndResults) {
  parse(R"(
  te.kernel @softmax(%x: tensor<6x8xf32>) -> (tensor<6x8xf32>, tensor<6xf32>, tensor<6x8xf32>) {
    %m = te.compute @max (d0: 6) reduce (d1: 8) init (0xFF800000 : f32) {
      %1 = te.read %x[d0, d1] : tensor<6x8xf32>
      te.yield %1 : f32
    } combine arith.maximumf : tensor<6xf32>
    %e = te.compute @exp (d0: 6, d1: 8) {
      %1 = te.read %x[d0, d1] : tensor<6x8xf32>
      %2 = te.read %m[d0] : tensor<6xf32>
      %3 = arith.subf %1, %2 : f32
      %4 = math.exp %3 : f32
      te.yield %4 : f32
    } : tensor<6x8xf32>
    %s = te.compute @sum (d0: 6) reduce (d1: 8) init (0.0 : f32) {
      %1 = te.read %e[d0, d1] : tensor<6x8xf32>
      te.yield %1 : f32
    } combine arith.addf : tensor<6xf32>
    %r = te.compute @map (d0: 6, d1: 8) {
      %1 = te.read %e[d0, d1] : tensor<6x8xf32>
      %2 = te.read %s[d0] : tensor<6xf32>
      %3 = arith.divf %1, %2 : f32
      te.yield %3 : f32
    } : tensor<6x8xf32>
    te.return %r, %s, %e : tensor<6x8xf32>, tensor<6xf32>, tensor<6x8xf32>
  })");
  expectEqual({{0, 9, 47}, {5, 2}, {}});
}

static constexpr llvm::StringLiteral pieces = R"(
  te.kernel @pieces(%x: tensor<6xf32>, %y: tensor<3xf32>) -> tensor<8xf32> {
    %0 = te.compute @p (d0: 8) where (d0 - 2 >= 0) {
      %1 = te.read %x[d0 - 2] : tensor<6xf32>
      te.yield %1 : f32
    } where (1 - d0 >= 0) {
      %1 = te.read %y[d0] : tensor<3xf32>
      te.yield %1 : f32
    } : tensor<8xf32>
    te.return %0 : tensor<8xf32>
  })";

TEST_F(EvaluateAt, Pieces) {
  parse(pieces);
  expectEqual({{7, 0, 1, 2}});
}

TEST_F(EvaluateAt, ElementsThatDoNotExist) {
  parse(pieces);
  EXPECT_EQ(getError({{8}}), "kernel 'pieces': element 8 of a result that is 8xf32");
  EXPECT_EQ(getError({{-1}}), "kernel 'pieces': element -1 of a result that is 8xf32");
  EXPECT_EQ(getError({}), "expected elements of 1 results, got 0");
}

TEST_F(EvaluateAt, OtherOps) {
  parse(R"(
  te.kernel @scan(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = te.scan @s %x axis 0 init 0.0 : f32 combine arith.addf : tensor<8xf32>
    te.return %0 : tensor<8xf32>
  })");
  EXPECT_NE(getError({{0}}).find("cannot evaluate 'te.scan' at single points"), std::string::npos);
}

TEST_F(EvaluateAt, TooManyPoints) {
  parse(R"(
  te.kernel @large(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = te.compute @s (d0: 2) reduce (d1: 40000, d2: 40000) init (0.0 : f32) {
      %1 = te.read %x[d0] : tensor<2xf32>
      te.yield %1 : f32
    } combine arith.addf : tensor<2xf32>
    te.return %0 : tensor<2xf32>
  })");
  EXPECT_NE(getError({{0}}).find("depend on more than 1073741824 points"), std::string::npos);
}

TEST_F(EvaluateAt, ErrorOfAnInnerExpression) {
  parse(R"(
  te.kernel @inner(%i: tensor<1xi64>, %x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = te.compute @a (d0: 8) {
      %1 = te.read %i[0] : tensor<1xi64>
      %2 = arith.index_cast %1 : i64 to index
      %3 = te.read %x[s0 + 8](%2) : tensor<8xf32>
      te.yield %3 : f32
    } : tensor<8xf32>
    %1 = te.compute @b (d0: 8) {
      %2 = te.read %0[d0] : tensor<8xf32>
      te.yield %2 : f32
    } : tensor<8xf32>
    te.return %1 : tensor<8xf32>
  })");
  EXPECT_NE(getError({{3}}).find("is out of bounds for dim 0 of size 8"), std::string::npos);
}
