//===- TasksTest.cpp - kernels as they are tuned --------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Pipeline/Tasks.h"
#include "dialects/layout/IR/LayoutOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "tssa/Pipeline/Stages.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace ::tssa;

namespace {
class Tasks : public testing::Test {
protected:
  Tasks() {
    DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// Parses a product of `x` with weights, which is launched with `operand` as weights.
  OwningOpRef<ModuleOp> parse(StringRef operand, StringRef schedule = "") {
    std::string text = R"(
      te.kernel @k7(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>) -> tensor<4x2xf32> {
        %y = te.compute @y (d0: 4, d1: 2) reduce (d2: 8) init (0.0 : f32) {
          %a = te.read %x[d0, d2] : tensor<4x8xf32>
          %b = te.read %w[d2, d1] : tensor<8x2xf32>
          %p = arith.mulf %a, %b : f32
          te.yield %p : f32
        } combine arith.addf : tensor<4x2xf32>
        te.return %y : tensor<4x2xf32>
      })" + schedule.str() + R"(
      func.func @main(%x: tensor<4x8xf32>, %v: tensor<8x2xf32>) -> tensor<4x2xf32> {
        %one = te.constant dense<1.0> : tensor<8x2xf32>
        %w = te.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0], [1.0, 2.0],
                                [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<8x2xf32>
        %y = te.launch @k7(%x, )" + operand.str() + R"() : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
        return %y : tensor<4x2xf32>
      })";
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    return module;
  }

  static std::string getText(ModuleOp module) {
    std::vector<KernelTask> tasks = findTasks(module);
    EXPECT_EQ(tasks.size(), 1u);
    return getTaskText(tasks[0].kernel, tasks[0].constants);
  }

  MLIRContext context;
};

constexpr StringLiteral stores = R"( schedule { layout.store 0 as map<reorder(1, 0)> })";
constexpr StringLiteral storesAndLoops = R"( schedule {
  layout.store 0 as map<reorder(1, 0)>
  %l:3 = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  layout.vectorize %l#1
})";
constexpr StringLiteral loops = R"( schedule {
  %l:3 = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  layout.vectorize %l#1
})";
} // namespace

TEST_F(Tasks, TextHasConstantsAndStoresButNoLoops) {
  std::string weights = getText(*parse("%w"));
  EXPECT_TRUE(StringRef(weights).starts_with("// constants: 1\nte.kernel @kernel("));
  // Elements that are all equal are not packed.
  EXPECT_TRUE(StringRef(getText(*parse("%one"))).starts_with("// constants:\n"));
  EXPECT_TRUE(StringRef(getText(*parse("%v"))).starts_with("// constants:\n"));
  EXPECT_NE(getText(*parse("%w", stores)), weights);
  EXPECT_EQ(getText(*parse("%w", storesAndLoops)), getText(*parse("%w", stores)));
  EXPECT_EQ(getText(*parse("%w", loops)), weights);
}

TEST_F(Tasks, KeyIsTheHashOfTheText) {
  EXPECT_EQ(getTaskKey("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_F(Tasks, ObstaclesAreNamed) {
  EXPECT_EQ(findObstacle(findTasks(*parse("%w", stores))[0].kernel), "");
  EXPECT_EQ(findObstacle(findTasks(*parse("%w", loops))[0].kernel), "it has a schedule");
  OwningOpRef<ModuleOp> open = parseSourceString<ModuleOp>(R"(
      te.kernel @k(%n: index, %x: tensor<?xf32> {te.sizes = array<i64: 0>}) -> tensor<?xf32> {
        %y = te.compute @y (d0: %n) {
          %a = te.read %x[d0] : tensor<?xf32>
          te.yield %a : f32
        } : tensor<?xf32>
        te.return %y : tensor<?xf32>
      })", &context);
  EXPECT_EQ(findObstacle(*open->getOps<te::KernelOp>().begin()),
            "its sizes are open");
}

TEST_F(Tasks, IndexesOfATaskAreZero) {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(R"(
      te.kernel @k(%t: index, %x: tensor<5x8xf32>) -> tensor<8xf32> {
        %y = te.compute @y (d0: 8) {
          %a = te.read %x[s0, d0](%t) : tensor<5x8xf32>
          te.yield %a : f32
        } : tensor<8xf32>
        te.return %y : tensor<8xf32>
      })", &context);
  ASSERT_TRUE(module);
  te::KernelOp kernel = *module->getOps<te::KernelOp>().begin();
  EXPECT_EQ(findObstacle(kernel), "");
  OwningOpRef<ModuleOp> alone = buildTaskModule(kernel, {}, {});
  EXPECT_TRUE(succeeded(verify(*alone)));
  EXPECT_EQ(alone->lookupSymbol<func::FuncOp>("main").getNumArguments(), 1u);
}

TEST_F(Tasks, ConstantsAreParsed) {
  llvm::Expected<SmallVector<unsigned>> numbers = parseTaskConstants("// constants: 1 12\nte");
  ASSERT_TRUE(static_cast<bool>(numbers));
  EXPECT_EQ(*numbers, SmallVector<unsigned>({1, 12}));
  for (StringRef bad : {"", "// constants: 2 1\n", "// constants: 1 1", "// constants: x", "te"})
    EXPECT_EQ(llvm::toString(parseTaskConstants(bad).takeError()),
              "a task begins with '// constants:' and ascending numbers of parameters");
}

TEST_F(Tasks, ModuleOfATaskIsThatTask) {
  OwningOpRef<ModuleOp> module = parse("%w", stores);
  std::vector<KernelTask> tasks = findTasks(*module);
  OwningOpRef<ModuleOp> alone = buildTaskModule(tasks[0].kernel, tasks[0].constants, {});
  EXPECT_TRUE(succeeded(verify(*alone)));
  EXPECT_EQ(getText(*alone), getText(*module));
}
