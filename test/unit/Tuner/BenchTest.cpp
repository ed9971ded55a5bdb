//===- BenchTest.cpp - candidates that are right and wrong ----------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Tuner/Bench.h"
#include "dialects/te/IR/TEOps.h"
#include "lib/Tuner/ReferenceResults.h"
#include "mlir/Parser/Parser.h"
#include "tssa/Pipeline/Stages.h"
#include "tssa/Reference/Evaluator.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace tssa;
using namespace tssa::tuner;
using search::TrialStatus;

/// A product of matrices, whose right one is a constant. %w is stored as [k][n].
static constexpr llvm::StringLiteral product = R"(
  func.func @main(%x: tensor<6x16xf32>) -> tensor<6x21xf32> {
    %w = te.constant dense<WEIGHTS> : tensor<16x21xf32>
    %y = te.launch @product(%x, %w) : (tensor<6x16xf32>, tensor<16x21xf32>) -> tensor<6x21xf32>
    return %y : tensor<6x21xf32>
  }
  te.kernel @product(%x: tensor<6x16xf32>, %w: tensor<16x21xf32>) -> tensor<6x21xf32> {
    %y = te.compute @c (d0: 6, d1: 21) reduce (d2: 16) init (0.0 : f32) {
      %a = te.read %x[d0, d2] : tensor<6x16xf32>
      %b = te.read %w[d2, d1] : tensor<16x21xf32>
      %p = arith.mulf %a, %b : f32
      te.yield %p : f32
    } combine arith.addf : tensor<6x21xf32>
    te.return %y : tensor<6x21xf32>
  } schedule {
    %l:3 = layout.loops @c : !layout.loop, !layout.loop, !layout.loop
    %j:2 = layout.split %l#1 [*, 16]
    layout.reorder %l#0, %j#0, %l#2, %j#1
    layout.vectorize %j#1
    layout.bind %l#0, %j#0 to parallel
  })";

/// A convolution on the result of another launch, which makes the channels the last dim.
static constexpr llvm::StringLiteral convolution = R"(
  func.func @main(%x: tensor<1x3x7x7xf32>) -> tensor<1x4x7x7xf32> {
    %c = te.launch @convert(%x) : (tensor<1x3x7x7xf32>) -> tensor<1x7x7x3xf32>
    %w = te.constant dense<WEIGHTS> : tensor<3x3x3x4xf32>
    %y = te.launch @conv(%c, %w) : (tensor<1x7x7x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x4x7x7xf32>
    return %y : tensor<1x4x7x7xf32>
  }
  te.kernel @convert(%x: tensor<1x3x7x7xf32>) -> tensor<1x7x7x3xf32> {
    %y = te.compute @c (d0: 1, d1: 7, d2: 7, d3: 3) {
      %a = te.read %x[d0, d3, d1, d2] : tensor<1x3x7x7xf32>
      te.yield %a : f32
    } : tensor<1x7x7x3xf32>
    te.return %y : tensor<1x7x7x3xf32>
  }
  te.kernel @conv(%x: tensor<1x7x7x3xf32>, %w: tensor<3x3x3x4xf32>) -> tensor<1x4x7x7xf32> {
    %y = te.compute @c (d0: 1, d1: 4, d2: 7, d3: 7) reduce (d4: 3, d5: 3, d6: 3) init (0.0 : f32) {
      %a = te.read %x[0, d2 + d5 - 1, d3 + d6 - 1, d4] : tensor<1x7x7x3xf32> where (d2 + d5 - 1 >= 0, 7 - d2 - d5 >= 0, d3 + d6 - 1 >= 0, 7 - d3 - d6 >= 0) else 0.0
      %b = te.read %w[d4, d5, d6, d1] : tensor<3x3x3x4xf32>
      %p = arith.mulf %a, %b : f32
      te.yield %p : f32
    } combine arith.addf : tensor<1x4x7x7xf32>
    te.return %y : tensor<1x4x7x7xf32>
  } schedule {
    %l:7 = layout.loops @c : !layout.loop, !layout.loop, !layout.loop, !layout.loop, !layout.loop, !layout.loop, !layout.loop
    layout.reorder %l#0, %l#2, %l#1, %l#3, %l#4, %l#5, %l#6
    layout.bind %l#0, %l#2 to parallel
  })";

/// Replaces all occurrences; there must be one.
static std::string edit(std::string text, llvm::StringRef from, llvm::StringRef to) {
  size_t position = text.find(from.str());
  EXPECT_NE(position, std::string::npos) << from.str();
  for (; position != std::string::npos; position = text.find(from.str(), position + to.size()))
    text.replace(position, from.size(), to.str());
  return text;
}

/// Fills in constants: element i of the first `count` is `get(i)`.
static std::string fill(llvm::StringRef text, int64_t count,
                        llvm::function_ref<float(int64_t)> get) {
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(get(i));
  llvm::StringRef bytes(reinterpret_cast<const char *>(values.data()), count * sizeof(float));
  return edit(text.str(), "WEIGHTS", "\"0x" + llvm::toHex(bytes) + "\"");
}

static float getWeight(int64_t i) { return std::sin(static_cast<float>(i * i)); }

namespace {
class BenchTest : public testing::Test {
protected:
  BenchTest() : machine(llvm::cantFail(cpu::resolveMachine("native"))) {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
  }

  mlir::ModuleOp parse(const std::string &text) {
    modules.push_back(mlir::parseSourceString<mlir::ModuleOp>(text, &context));
    EXPECT_TRUE(modules.back());
    return *modules.back();
  }
  /// Makes a bench for `kernel` of `text`, or keeps the error.
  void makeBench(const std::string &text, llvm::StringRef kernel, BenchOptions options = {}) {
    mlir::ModuleOp candidate = parse(text);
    auto object = Bench::build(candidate, kernel, machine);
    if (!object) {
      error = toString(object.takeError());
      return;
    }
    name = kernel;
    auto made = Bench::create({candidate, *object}, kernel, machine, options);
    if (made)
      bench = std::move(*made);
    else
      error = toString(made.takeError());
  }
  void makeProductBench(BenchOptions options = {}) {
    text = fill(product, 16 * 21, getWeight);
    makeBench(text, "product", options);
    ASSERT_TRUE(bench) << error;
  }
  void makeConvolutionBench() {
    text = fill(convolution, 27 * 4, getWeight);
    makeBench(text, "conv");
    ASSERT_TRUE(bench) << error;
  }
  /// Builds and measures a candidate.
  Outcome measure(mlir::ModuleOp candidate, std::optional<double> bestSeconds = std::nullopt) {
    auto object = Bench::build(candidate, name, machine);
    if (object)
      return bench->measure({candidate, *object}, bestSeconds);
    Outcome outcome;
    outcome.status = TrialStatus::BuildFailed;
    outcome.error = toString(object.takeError());
    return outcome;
  }
  Outcome measure(const std::string &candidate) { return measure(parse(candidate)); }
  void expectMeasured(const Outcome &outcome) {
    EXPECT_EQ(outcome.status, TrialStatus::Measured) << outcome.error;
    EXPECT_EQ(outcome.error, "");
    EXPECT_GT(outcome.minSeconds, 0);
    EXPECT_GE(outcome.seconds, outcome.minSeconds);
    EXPECT_GE(outcome.halfWidth, 0);
    EXPECT_GT(outcome.cpuOverWall, 0);
    EXPECT_GT(outcome.checkSeconds, 0);
  }
  void expectFailed(const Outcome &outcome, TrialStatus status, llvm::StringRef error) {
    EXPECT_EQ(outcome.status, status);
    EXPECT_TRUE(llvm::StringRef(outcome.error).contains(error)) << outcome.error;
    EXPECT_EQ(outcome.seconds, 0);
  }

  cpu::Machine machine;
  mlir::MLIRContext context;
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> modules;
  std::unique_ptr<Bench> bench;
  std::string error, text, name;
};
} // namespace

TEST_F(BenchTest, DefaultAgreesWithItself) {
  makeProductBench();
  expectMeasured(measure(text));
}

TEST_F(BenchTest, ConstantsMayBePackedInAnotherOrder) {
  makeProductBench();
  std::string packed =
      fill(product, 16 * 21, [](int64_t i) { return getWeight(i % 16 * 21 + i / 16); });
  packed = edit(packed, "tensor<16x21xf32>", "tensor<21x16xf32>");
  expectMeasured(measure(edit(packed, "%w[d2, d1]", "%w[d1, d2]")));
}

TEST_F(BenchTest, OperandsOfOtherLaunches) {
  makeConvolutionBench();
  expectMeasured(measure(text));
  expectMeasured(
      measure(edit(text, "%l#1, %l#3, %l#4, %l#5, %l#6", "%l#3, %l#1, %l#6, %l#4, %l#5")));
}

TEST_F(BenchTest, SeveralThreadsAndColdWeights) {
  BenchOptions options;
  options.threads = 2;
  options.rotatedBytes = 1 << 20;
  makeProductBench(options);
  expectMeasured(measure(text));
}

TEST_F(BenchTest, BestSecondsMayEndTheTiming) {
  makeProductBench();
  expectMeasured(measure(parse(text), 1e-12));
}

TEST_F(BenchTest, InTurns) {
  makeProductBench();
  mlir::ModuleOp candidates[] = {parse(text), parse(edit(text, "[d2, d1]", "[15 - d2, d1]")),
                                 parse(edit(text, "[*, 16]", "[*, 8]"))};
  std::vector<KernelObject> objects;
  for (mlir::ModuleOp candidate : candidates)
    objects.push_back(llvm::cantFail(Bench::build(candidate, name, machine)));
  std::vector<Outcome> outcomes = bench->compareInTurns(
      {{candidates[0], objects[0]}, {candidates[1], objects[1]}, {candidates[2], objects[2]}}, 3);
  ASSERT_EQ(outcomes.size(), 3u);
  expectMeasured(outcomes[0]);
  expectFailed(outcomes[1], TrialStatus::Wrong, "result 0 differs from the default's");
  expectMeasured(outcomes[2]);
}

//===----------------------------------------------------------------------===//
// Wrong candidates
//===----------------------------------------------------------------------===//

TEST_F(BenchTest, WrongMap) {
  makeProductBench();
  expectFailed(measure(edit(text, "%x[d0, d2]", "%x[5 - d0, d2]")), TrialStatus::Wrong,
               "result 0 differs from the default's");
}

TEST_F(BenchTest, WrongTail) {
  makeProductBench();
  std::string tail = edit(text, "%w[d2, d1] : tensor<16x21xf32>",
                          "%w[d2, d1] : tensor<16x21xf32> where (19 - d1 >= 0) else 0.0");
  expectFailed(measure(tail), TrialStatus::Wrong, "6 of 126 elements differ");
}

TEST_F(BenchTest, WrongConstant) {
  makeProductBench();
  std::string other = fill(product, 16 * 21, [](int64_t i) { return getWeight(i == 100 ? 1 : i); });
  expectFailed(measure(other), TrialStatus::Wrong, "result 0 differs from the default's");
}

TEST_F(BenchTest, WeakerGuard) {
  makeConvolutionBench();
  expectFailed(measure(edit(text, "d3 + d6 - 1 >= 0, 7 - d3 - d6 >= 0", "d3 + d6 - 1 >= 0")),
               TrialStatus::Wrong, "result 0 differs from the default's");
}

TEST_F(BenchTest, WrongInitialValue) {
  makeConvolutionBench();
  expectFailed(measure(edit(text, "init (0.0 : f32)", "init (1.0 : f32)")), TrialStatus::Wrong,
               "196 of 196 elements differ");
}

TEST_F(BenchTest, OtherOperands) {
  makeConvolutionBench();
  std::string other = edit(text, "te.launch @conv(%c, %w) : (tensor<1x7x7x3xf32>",
                           "te.launch @conv(%x, %w) : (tensor<1x3x7x7xf32>");
  other = edit(other, "@conv(%x: tensor<1x7x7x3xf32>", "@conv(%x: tensor<1x3x7x7xf32>");
  other = edit(other, "%x[0, d2 + d5 - 1, d3 + d6 - 1, d4] : tensor<1x7x7x3xf32>",
               "%x[0, d4, d2 + d5 - 1, d3 + d6 - 1] : tensor<1x3x7x7xf32>");
  expectFailed(measure(other), TrialStatus::BuildFailed,
               "expected 1x7x7x3xf32 as operand 0, got 1x3x7x7xf32");
  std::string swapped = edit(text, "te.launch @conv(%c, %w)", "te.launch @conv(%c, %v)");
  swapped = edit(swapped, "func.func @main(%x: tensor<1x3x7x7xf32>",
                 "func.func @main(%x: tensor<1x3x7x7xf32>, %v: tensor<3x3x3x4xf32>");
  expectFailed(measure(swapped), TrialStatus::BuildFailed,
               "expected a constant as operand 1, got 3x3x3x4xf32");
}

TEST_F(BenchTest, OtherResults) {
  makeProductBench();
  std::string other = edit(text, "tensor<6x21xf32>", "tensor<5x21xf32>");
  expectFailed(measure(edit(other, "d0: 6", "d0: 5")), TrialStatus::BuildFailed,
               "expected 6x21xf32 as result 0, got 5x21xf32");
}

TEST_F(BenchTest, NotOneLaunch) {
  makeProductBench();
  std::string twice = edit(text, "    %y = te.launch",
                           "    %z = te.launch @product(%x, %w) : (tensor<6x16xf32>, "
                           "tensor<16x21xf32>) -> tensor<6x21xf32>\n    %y = te.launch");
  expectFailed(measure(twice), TrialStatus::BuildFailed,
               "expected one launch of kernel 'product', got 2");
  expectFailed(measure(edit(text, "@product", "@other")), TrialStatus::BuildFailed,
               "the module has no kernel 'product'");
}

TEST_F(BenchTest, ScheduleThatCannotBeCompiled) {
  makeProductBench();
  // A vectorised loop must be the last one.
  expectFailed(measure(edit(text, "layout.vectorize %j#1", "layout.vectorize %l#2")),
               TrialStatus::BuildFailed, "stage loops failed on kernel 'product': ");
}

TEST_F(BenchTest, InvalidModule) {
  makeProductBench();
  mlir::ModuleOp candidate = parse(text);
  candidate.walk([](mlir::tssa::te::LaunchOp launch) { launch.setKernel("nobody"); });
  expectFailed(measure(candidate), TrialStatus::BuildFailed, "the module is not valid: ");
}

TEST_F(BenchTest, DefaultThatIsWrong) {
  text = fill(product, 16 * 21, getWeight);
  Candidate candidate =
      llvm::cantFail(Candidate::read(parse(text), "product", /*memoryLimit=*/1 << 20));
  llvm::cantFail(candidate.evaluateOperands(/*seed=*/1));
  std::vector<reference::HostValue> inputs;
  for (const LaunchOperand &operand : candidate.operands)
    inputs.push_back(operand.value);
  auto results = llvm::cantFail(reference::evaluateKernel(candidate.launch.kernel, inputs));
  EXPECT_TRUE(static_cast<bool>(
      ReferenceResults::create(candidate.launch, inputs, results, /*maxElements=*/1000, 1)));
  results[0].set(125, reference::makeFloat(100));
  auto made = ReferenceResults::create(candidate.launch, inputs, results, 1000, 1);
  ASSERT_FALSE(static_cast<bool>(made));
  EXPECT_EQ(toString(made.takeError()).substr(0, 109),
            "the default of kernel 'product' is wrong: elements of result 0 differ from the "
            "evaluator's: 1 of 126 elements");
}

//===----------------------------------------------------------------------===//
// What cannot be measured
//===----------------------------------------------------------------------===//

TEST_F(BenchTest, NoSuchKernel) {
  makeBench(fill(product, 16 * 21, getWeight), "nobody");
  EXPECT_EQ(error, "the module has no kernel 'nobody'");
}

TEST_F(BenchTest, NoThread) {
  BenchOptions options;
  options.threads = 0;
  makeBench(fill(product, 16 * 21, getWeight), "product", options);
  EXPECT_EQ(error, "expected at least 1 thread, got 0");
}

TEST_F(BenchTest, TooMuchMemory) {
  BenchOptions options;
  options.memoryLimit = 4000;
  makeBench(fill(product, 16 * 21, getWeight), "product", options);
  EXPECT_EQ(error, "the tensors of 'main' have 4464 bytes, the limit is 4000");
}

/// A kernel with a number.
static constexpr llvm::StringLiteral shift = R"(
  func.func @main(%x: tensor<8xf32>, %i: tensor<index>) -> tensor<8xf32> {
    %n = arith.constant 3 : index
    %y = te.launch @shift(%x, %n) : (tensor<8xf32>, index) -> tensor<8xf32>
    return %y : tensor<8xf32>
  }
  te.kernel @shift(%x: tensor<8xf32>, %n: index) -> tensor<8xf32> {
    %y = te.compute @c (d0: 8) {
      %a = te.read %x[d0 + s0](%n) : tensor<8xf32> where (7 - d0 - s0 >= 0) else 0.0
      te.yield %a : f32
    } : tensor<8xf32>
    te.return %y : tensor<8xf32>
  })";

TEST_F(BenchTest, ConstantNumbers) {
  makeBench(shift.str(), "shift");
  ASSERT_TRUE(bench) << error;
  expectMeasured(measure(shift.str()));
  expectFailed(measure(edit(shift.str(), "constant 3", "constant 4")), TrialStatus::BuildFailed,
               "expected the number 3 as operand 1, got the number 4");
}

TEST_F(BenchTest, OtherNumbers) {
  makeBench(edit(shift.str(), "arith.constant 3 : index", "tensor.extract %i[] : tensor<index>"),
            "shift");
  EXPECT_EQ(error, "cannot be measured alone: operand 1 of kernel 'shift' is a number that is not "
                   "constant");
}

TEST_F(BenchTest, UnknownSizes) {
  makeBench(R"(
  func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
    %c0 = arith.constant 0 : index
    %n = tensor.dim %x, %c0 : tensor<?xf32>
    %y = te.launch @copy(%x, %n) sizes (%n) : (tensor<?xf32>, index) -> tensor<?xf32>
    return %y : tensor<?xf32>
  }
  te.kernel @copy(%x: tensor<?xf32> {te.sizes = array<i64: 1>}, %n: index) -> tensor<?xf32> {
    %y = te.compute @c (d0: %n) {
      %a = te.read %x[d0] : tensor<?xf32>
      te.yield %a : f32
    } : tensor<?xf32>
    te.return %y : tensor<?xf32>
  })",
            "copy");
  EXPECT_EQ(error, "cannot be measured alone: operand 0 of kernel 'copy' has the type "
                   "tensor<?xf32>, expected a tensor of known size or an index");
}
