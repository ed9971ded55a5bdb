//===- RandomProgramTest.cpp - programs and inputs from seeds -------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/programs/RandomProgram.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "tssa/Reference/Evaluator.h"
#include "tssa/Reference/RandomInputs.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace tssa::reference;

static std::string print(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

TEST(RandomProgram, EqualSeedsGiveEqualPrograms) {
  mlir::MLIRContext first, second;
  std::string text = print(*makeRandomProgram(first, 7).module);
  EXPECT_EQ(text, print(*makeRandomProgram(second, 7).module));
  EXPECT_NE(text, print(*makeRandomProgram(second, 8).module));
}

/// Law: the evaluator runs every program at the program's own sizes.
TEST(RandomProgram, EveryProgramRuns) {
  mlir::MLIRContext context;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    RandomProgram program = makeRandomProgram(context, seed, {/*numSteps=*/10});
    ASSERT_TRUE(succeeded(mlir::verify(*program.module)));
    auto function = program.module->lookupSymbol<mlir::func::FuncOp>("main");
    auto inputs = makeRandomInputs(function, seed, program.sizes);
    ASSERT_TRUE(static_cast<bool>(inputs));
    auto results = evaluate(*program.module, "main", *inputs);
    ASSERT_TRUE(static_cast<bool>(results))
        << "seed " << seed << ": " << toString(results.takeError());
    EXPECT_EQ(results->size(), program.errors.size());
  }
}

TEST(RandomInputs, NumbersDependOnTheSeedAlone) {
  Random random(1);
  EXPECT_EQ(random.next(), 0x910A2DEC89025CC1ull);
  EXPECT_EQ(random.next(), 0xBEEB8DA1658EEC67ull);
  double sum = 0, squares = 0;
  for (int i = 0; i < 10000; ++i) {
    double value = random.normal();
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / 10000, 0, 0.05);
  EXPECT_NEAR(squares / 10000, 1, 0.05);
}
