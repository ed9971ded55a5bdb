//===- ProgramLayoutsTest.cpp - layouts for all kernels of a program ------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Tuner/ProgramLayouts.h"
#include "TunerTest.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "tssa/Pipeline/Tasks.h"
#include "tssa/Tuner/ModelTasks.h"
#include "tssa/Tuner/StoreSpace.h"

using namespace tssa;
using namespace tssa::tuner;
namespace te = mlir::tssa::te;

namespace {
/// A 1x1 convolution of 32 to 48 channels, a depthwise one, a maximum with zero, and a 1x1
/// convolution to 16 channels, on 14x14 pixels.
constexpr llvm::StringLiteral chain = R"(
  func.func @main(%x: tensor<1x32x14x14xf32>) -> tensor<1x16x14x14xf32> {
    %w = te.constant dense<[WEIGHTS]> : tensor<48x32xf32>
    %v = te.constant dense<[TAPS]> : tensor<48x3x3xf32>
    %u = te.constant dense<[OTHERS]> : tensor<16x48xf32>
    %a = te.launch @expand(%x, %w) : (tensor<1x32x14x14xf32>, tensor<48x32xf32>) -> tensor<1x48x14x14xf32>
    %b = te.launch @depthwise(%a, %v) : (tensor<1x48x14x14xf32>, tensor<48x3x3xf32>) -> tensor<1x48x14x14xf32>
    %c = te.launch @relu(%b) : (tensor<1x48x14x14xf32>) -> tensor<1x48x14x14xf32>
    %d = te.launch @project(%c, %u) : (tensor<1x48x14x14xf32>, tensor<16x48xf32>) -> tensor<1x16x14x14xf32>
    return %d : tensor<1x16x14x14xf32>
  }
  te.kernel @expand(%x: tensor<1x32x14x14xf32>, %w: tensor<48x32xf32> {te.finite}) -> tensor<1x48x14x14xf32> {
    %y = te.compute @y (d0: 1, d1: 48, d2: 14, d3: 14) reduce (d4: 32) init (0.0 : f32) {
      %a = te.read %x[d0, d4, d2, d3] : tensor<1x32x14x14xf32>
      %b = te.read %w[d1, d4] : tensor<48x32xf32>
      %p = arith.mulf %a, %b : f32
      te.yield %p : f32
    } combine arith.addf : tensor<1x48x14x14xf32>
    te.return %y : tensor<1x48x14x14xf32>
  }
  te.kernel @depthwise(%x: tensor<1x48x14x14xf32>, %w: tensor<48x3x3xf32> {te.finite}) -> tensor<1x48x14x14xf32> {
    %y = te.compute @y (d0: 1, d1: 48, d2: 14, d3: 14) reduce (d4: 3, d5: 3) init (0.0 : f32) {
      %a = te.read %x[d0, d1, d2 + d4 - 1, d3 + d5 - 1] : tensor<1x48x14x14xf32> where (d2 + d4 - 1 >= 0, 14 - d2 - d4 >= 0, d3 + d5 - 1 >= 0, 14 - d3 - d5 >= 0) else 0.0
      %b = te.read %w[d1, d4, d5] : tensor<48x3x3xf32>
      %p = arith.mulf %a, %b : f32
      te.yield %p : f32
    } combine arith.addf : tensor<1x48x14x14xf32>
    te.return %y : tensor<1x48x14x14xf32>
  }
  te.kernel @relu(%x: tensor<1x48x14x14xf32>) -> tensor<1x48x14x14xf32> {
    %z = arith.constant 0.0 : f32
    %y = te.compute @y (d0: 1, d1: 48, d2: 14, d3: 14) {
      %a = te.read %x[d0, d1, d2, d3] : tensor<1x48x14x14xf32>
      %m = arith.maximumf %a, %z : f32
      te.yield %m : f32
    } : tensor<1x48x14x14xf32>
    te.return %y : tensor<1x48x14x14xf32>
  }
  te.kernel @project(%x: tensor<1x48x14x14xf32>, %w: tensor<16x48xf32> {te.finite}) -> tensor<1x16x14x14xf32> {
    %y = te.compute @y (d0: 1, d1: 16, d2: 14, d3: 14) reduce (d4: 48) init (0.0 : f32) {
      %a = te.read %x[d0, d4, d2, d3] : tensor<1x48x14x14xf32>
      %b = te.read %w[d1, d4] : tensor<16x48xf32>
      %p = arith.mulf %a, %b : f32
      te.yield %p : f32
    } combine arith.addf : tensor<1x16x14x14xf32>
    te.return %y : tensor<1x16x14x14xf32>
  })";

/// Nested lists of numbers that are not all equal.
std::string makeElements(llvm::ArrayRef<int64_t> shape, int64_t &next) {
  if (shape.empty())
    return std::to_string(++next % 7) + ".5";
  std::string text;
  for (int64_t i = 0; i < shape.front(); ++i) {
    std::string inner = makeElements(shape.drop_front(), next);
    text += (i ? ", " : "") + (shape.size() > 1 ? "[" + inner + "]" : inner);
  }
  return text;
}

class ProgramLayoutsTest : public TunerTest {
protected:
  ProgramLayoutsTest() {
    std::string text = chain.str();
    int64_t next = 0;
    for (auto [name, shape] : std::initializer_list<std::pair<const char *, std::vector<int64_t>>>{
             {"WEIGHTS", {48, 32}}, {"TAPS", {48, 3, 3}}, {"OTHERS", {16, 48}}})
      text.replace(text.find(name), std::strlen(name), makeElements(shape, next));
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    layouts = llvm::cantFail(ProgramLayouts::create(*module, machine));
  }

  /// Adds the option of a node at a point of its StoreSpace.
  std::optional<uint32_t> add(size_t node, const std::string &point) {
    const KernelNode &known = layouts->getNodes()[node];
    auto space = llvm::cantFail(StoreSpace::create(known.kernel, known.constants));
    search::Point parsed = llvm::cantFail(space->getSpace().parse(point));
    EXPECT_TRUE(space->getSpace().isLegal(parsed)) << point;
    return layouts->addOption(node, space->getStores(parsed), space->describe(parsed));
  }
  /// Returns the keys of the tasks of the program with these options.
  std::set<std::string> getKeys(llvm::ArrayRef<uint32_t> options) {
    auto changed = layouts->write(options);
    EXPECT_TRUE(mlir::succeeded(mlir::verify(*changed)));
    std::set<std::string> keys;
    for (const PlannedTask &task : llvm::cantFail(collectTasks(*changed, machine)).tasks)
      keys.insert(task.task.key);
    return keys;
  }

  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::unique_ptr<ProgramLayouts> layouts;
};
} // namespace

TEST_F(ProgramLayoutsTest, SpacesHaveTheKnobsOfTheirKind) {
  std::vector<std::string> texts;
  for (const KernelNode &node : layouts->getNodes()) {
    auto space = StoreSpace::create(node.kernel, node.constants);
    std::string text;
    if (space)
      for (const search::Knob &knob : (*space)->getSpace().getKnobs())
        text += knob.name + " ";
    texts.push_back(space ? text : llvm::toString(space.takeError()));
  }
  EXPECT_EQ(texts, (std::vector<std::string>{
                       "store.image.d2 store.image.d3 store.out store.in ",
                       "store.image.d2 store.image.d3 store.group ",
                       "no result of the kernel is a sum of products without a schedule",
                       "store.image.d2 store.image.d3 store.out store.in "}));
}

TEST_F(ProgramLayoutsTest, ALTTunesTheKernelsThatHaveSpaces) {
  EXPECT_EQ(layouts->getTunedNodes(), (std::vector<uint32_t>{0, 1, 3}));
}

TEST_F(ProgramLayoutsTest, LegalPointsCanBeBuilt) {
  for (size_t node : {0, 1, 3}) {
    const KernelNode &known = layouts->getNodes()[node];
    auto space = llvm::cantFail(StoreSpace::create(known.kernel, known.constants));
    EXPECT_TRUE(space->getSpace().isLegal(space->getPlain()));
    EXPECT_TRUE(space->getStores(space->getPlain()).isEmpty());
    EXPECT_EQ(space->describe(space->getPlain()), "none");
    unsigned built = 0;
    for (uint64_t number = 0; number < space->getSpace().countPoints(); number += 3) {
      search::Point point = space->getSpace().getPoint(number);
      if (!space->getSpace().isLegal(point))
        continue;
      auto option = layouts->addOption(node, space->getStores(point), "");
      ASSERT_TRUE(option) << space->describe(point);
      auto task = createTask(layouts->getNodes()[node].options[*option].kernels[0].task.text);
      EXPECT_TRUE(task);
      ++built;
    }
    EXPECT_GT(built, 1u);
  }
}

TEST_F(ProgramLayoutsTest, OptionsAreTheTasksOfTheProgramThatHasThem) {
  std::vector<uint32_t> options = {
      *add(0, "store.image.d2=0 store.image.d3=0 store.out=16 store.in=0"),
      *add(1, "store.image.d2=0 store.image.d3=0 store.group=16"), 0,
      *add(3, "store.image.d2=0 store.image.d3=0 store.out=0 store.in=16")};
  EXPECT_EQ(options, (std::vector<uint32_t>{1, 1, 0, 1}));
  layouts->addFollowers([](size_t, uint32_t) { return true; }, /*most=*/16);
  ASSERT_GT(layouts->getNodes()[2].options.size(), 1u);
  for (options[2] = 0; options[2] < layouts->getNodes()[2].options.size(); ++options[2]) {
    std::set<std::string> keys = getKeys(options);
    for (size_t node = 0; node < 4; ++node)
      EXPECT_TRUE(keys.count(layouts->getNodes()[node].options[options[node]].kernels[0].task.key))
          << node << ' ' << options[2];
  }
}

TEST_F(ProgramLayoutsTest, ConversionsAreTheTasksBetweenLayoutsThatDiffer) {
  uint32_t blocks = *add(1, "store.image.d2=0 store.image.d3=0 store.group=16");
  const KernelNode &depthwise = layouts->getNodes()[1];
  auto type = mlir::RankedTensorType::get({1, 48, 14, 14}, mlir::Float32Type::get(&context));
  auto plain = mlir::tssa::layout::LayoutMap();
  const auto &map = depthwise.options[blocks].kernels[0].stores.inputs[0];
  auto in = layouts->getConversion(type, plain, map),
       out = layouts->getConversion(type, map, plain);
  ASSERT_TRUE(in && out);
  EXPECT_NE(in->key, out->key);
  EXPECT_FALSE(layouts->getConversion(type, map, map));
  // The depthwise convolution alone is in blocks.
  std::vector<uint32_t> options = {
      *add(0, "store.image.d2=0 store.image.d3=0 store.out=0 store.in=0"), blocks,
      *layouts->addOption(2, mlir::tssa::layout::LaunchStores(1, 1), "none"),
      *add(3, "store.image.d2=0 store.image.d3=0 store.out=0 store.in=0")};
  std::set<std::string> keys = getKeys(options);
  EXPECT_TRUE(keys.count(in->key));
  EXPECT_TRUE(keys.count(out->key));
}

// A depthwise convolution in blocks saves 8 us and needs two conversions of 9 us each: it pays only
// if its neighbours use blocks too.
TEST_F(ProgramLayoutsTest, TheGraphFindsAChainThatNoKernelFindsAlone) {
  std::vector<uint32_t> blocks = {
      *add(0, "store.image.d2=0 store.image.d3=0 store.out=16 store.in=0"),
      *add(1, "store.image.d2=0 store.image.d3=0 store.group=16"), 1,
      *add(3, "store.image.d2=0 store.image.d3=0 store.out=0 store.in=16")};
  layouts->addFollowers([](size_t, uint32_t) { return true; }, /*most=*/16);
  auto isBlocked = [&](size_t node, uint32_t option) {
    const auto &stores = layouts->getNodes()[node].options[option].kernels[0].stores;
    return !stores.inputs[0].isEmpty() && stores.inputs[0] == stores.outputs[0] &&
           stores.inputs[0] ==
               layouts->getNodes()[1].options[blocks[1]].kernels[0].stores.inputs[0];
  };
  // What is not said here takes long; a conversion takes 9 us.
  std::map<std::string, double> micros;
  for (auto [node, known] : llvm::enumerate(layouts->getNodes()))
    for (auto [option, entry] : llvm::enumerate(known.options))
      micros[entry.kernels[0].task.key] =
          option == 0 || (node == 2 ? isBlocked(node, option) : option == blocks[node]) ? 12 : 60;
  auto setTimes = [&](double project) {
    micros[layouts->getNodes()[1].options[0].kernels[0].task.key] = 18.6;
    micros[layouts->getNodes()[1].options[blocks[1]].kernels[0].task.key] = 10.5;
    micros[layouts->getNodes()[3].options[blocks[3]].kernels[0].task.key] = project;
  };
  auto getSeconds = [&](const search::Task &task) { return micros[task.key] * 1e-6; };
  auto convert = [](mlir::RankedTensorType, const auto &, const auto &) { return 9e-6; };
  auto choose = [&] {
    return llvm::cantFail(search::solve(llvm::cantFail(layouts->makeGraph({getSeconds, convert}))));
  };
  setTimes(12);
  auto choice = choose();
  EXPECT_EQ(choice.options[0], blocks[0]);
  EXPECT_EQ(choice.options[1], blocks[1]);
  EXPECT_TRUE(isBlocked(2, choice.options[2]));
  EXPECT_EQ(choice.options[3], blocks[3]);
  // If the last convolution loses more in blocks than the depthwise one gains, nothing changes.
  setTimes(22);
  choice = choose();
  EXPECT_NE(choice.options[3], blocks[3]);
}
