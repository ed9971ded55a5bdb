//===- KernelSpaceTest.cpp - points of kernels as named integers ----------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Tuner/KernelSpace.h"
#include "TunerTest.h"
#include "dialects/layout/IR/LayoutOps.h"
#include "mlir/IR/Verifier.h"
#include "tssa/Pipeline/Tasks.h"
#include "tssa/Search/Random.h"

#include <cmath>
#include <set>

using namespace tssa;
using namespace tssa::tuner;
namespace te = mlir::tssa::te;
namespace layout = mlir::tssa::layout;

namespace {
class KernelSpaceTest : public TunerTest {
protected:
  void create(llvm::StringRef text) {
    kernel = createTask(text);
    ASSERT_TRUE(kernel);
    auto created = KernelSpace::create(*kernel);
    ASSERT_TRUE(static_cast<bool>(created)) << llvm::toString(created.takeError());
    space = std::move(*created);
  }

  std::string getDefaultText() { return print(space->decode(space->getDefault())); }

  std::unique_ptr<TaskKernel> kernel;
  std::unique_ptr<KernelSpace> space;
};
} // namespace

TEST_F(KernelSpaceTest, TheDefaultIsWhatTheDraftRanksFirst) {
  create(productTask);
  const TaskKernel::Expression &root = kernel->getExpressions().back();
  auto ranked = layout::rankPoints(root.op, root.accesses, machine);
  std::string text;
  llvm::raw_string_ostream(text) << ranked.front().point;
  EXPECT_EQ(getDefaultText(), text);
  EXPECT_EQ(space->getCycles(space->getDefault()), ranked.front().cycles);
}

TEST_F(KernelSpaceTest, AlmostAllPointsOfTheDraftAreInTheSpace) {
  create(convolutionTask);
  const TaskKernel::Expression &root = kernel->getExpressions().back();
  size_t ranked = layout::rankPoints(root.op, root.accesses, machine).size();
  EXPECT_GE(space->getDraftPicks().size(), ranked * 9 / 10);
  for (const search::Point &pick : space->getDraftPicks())
    EXPECT_TRUE(space->getSpace().isLegal(pick));
}

TEST_F(KernelSpaceTest, PointsAreParsedAgain) {
  create(convolutionTask);
  for (const search::Point &pick : space->getDraftPicks()) {
    KernelPoint point = space->decode(pick);
    auto parsed = parseKernelPoint(print(point));
    ASSERT_TRUE(static_cast<bool>(parsed));
    EXPECT_EQ(print(*parsed), print(point));
  }
  EXPECT_FALSE(static_cast<bool>(parseKernelPoint("vector")));
}

TEST_F(KernelSpaceTest, RandomPointsCanBeBuilt) {
  for (llvm::StringRef text : {productTask, convolutionTask, rowsTask}) {
    create(text);
    search::Random random(1, 2, 3);
    unsigned built = 0;
    for (unsigned i = 0; i < 100000 && built < 20; ++i) {
      search::Point point = space->getSpace().draw(random);
      if (!space->getSpace().isLegal(point))
        continue;
      auto candidate = kernel->build(space->decode(point));
      ASSERT_TRUE(static_cast<bool>(candidate))
          << space->getSpace().print(point) << ": " << llvm::toString(candidate.takeError());
      EXPECT_TRUE(mlir::succeeded(mlir::verify(**candidate)));
      search::Point simple = space->canonicalize(point);
      EXPECT_EQ(space->canonicalize(simple), simple);
      EXPECT_EQ(space->getCycles(simple), space->getCycles(point));
      ++built;
    }
    EXPECT_EQ(built, 20u);
  }
}

TEST_F(KernelSpaceTest, FeaturesAreFiniteAndNamed) {
  create(convolutionTask);
  std::vector<std::string> names = space->getFeatureNames();
  EXPECT_GE(names.size(), 40u);
  for (const search::Point &pick : space->getDraftPicks()) {
    search::Features features = space->getFeatures(pick);
    ASSERT_EQ(features.size(), names.size());
    for (auto [name, value] : llvm::zip(names, features))
      EXPECT_TRUE(std::isfinite(value)) << name;
  }
  create(rowsTask);
  EXPECT_EQ(space->getFeatureNames(), names);
}

TEST_F(KernelSpaceTest, PointsWithEqualLoopsHaveOneForm) {
  create(productTask);
  const search::Space &own = space->getSpace();
  auto simplify = [&](const std::string &text) {
    return own.print(space->canonicalize(llvm::cantFail(own.parse(text))));
  };
  std::string rest = " fuse=1 taps=0 unroll=1 reduce=0 outer=0";
  std::string vectors = "vector=1 lanes=16 vectors=2", one = " rows=0 rows_extent=6";
  std::string no = " rows=-1 rows_extent=1", no2 = " rows2=-1 rows2_extent=1";
  EXPECT_EQ(simplify(vectors + one + no2 + rest), vectors + one + no2 + rest);
  EXPECT_EQ(simplify(vectors + " rows=-1 rows_extent=9 rows2=0 rows2_extent=6" + rest),
            vectors + one + no2 + rest);
  std::string scalar = "vector=-1 lanes=16 vectors=1";
  EXPECT_EQ(simplify(scalar + no + no2 + rest), scalar + no + no2 + rest);
  EXPECT_EQ(simplify("vector=-1 lanes=8 vectors=4" + one + " rows2=1 rows2_extent=2" + rest),
            scalar + no + no2 + rest);
  // 2 x 16 sums do not fit into 32 registers, and a dim has rows or vectors.
  auto isLegal = [&](const std::string &text) {
    return own.isLegal(llvm::cantFail(own.parse(text)));
  };
  EXPECT_FALSE(isLegal(vectors + " rows=0 rows_extent=16" + no2 + rest));
  EXPECT_FALSE(isLegal(vectors + " rows=1 rows_extent=2" + no2 + rest));
}

TEST_F(KernelSpaceTest, PointsOfBoxesHaveAForm) {
  create(attentionTask);
  const search::Space &own = space->getSpace();
  auto find = [&](llvm::StringRef name) {
    auto found = llvm::find_if(own.getKnobs(), [&](auto &knob) { return knob.name == name; });
    return static_cast<size_t>(found - own.getKnobs().begin());
  };
  unsigned legal = 0;
  search::Point point = space->getDefault();
  auto visit = [&](auto &visit, llvm::ArrayRef<llvm::StringRef> names) -> void {
    if (names.empty()) {
      if (!own.isLegal(point))
        return;
      search::Point simple = space->canonicalize(point);
      EXPECT_EQ(space->canonicalize(simple), simple) << own.print(point);
      ++legal;
      return;
    }
    size_t knob = find(names.front());
    for (size_t i = 0; i < own.getKnobs()[knob].values.size(); ++i) {
      point[knob] = i;
      visit(visit, names.drop_front());
    }
  };
  visit(visit, {"vector", "vectors", "rows", "box", "fuse", "outer"});
  EXPECT_GE(legal, 100u);
}

TEST_F(KernelSpaceTest, OrdersOfLoopsThatAreUnrolledAreOne) {
  create(convolutionTask);
  const search::Space &own = space->getSpace();
  search::Point point = space->getDefault();
  auto position = [&](llvm::StringRef name) {
    auto found = llvm::find_if(own.getKnobs(), [&](auto &knob) { return knob.name == name; });
    return found - own.getKnobs().begin();
  };
  size_t taps = position("taps"), reduce = position("reduce");
  // With both taps unrolled there is one reduction loop, which has one order.
  point[taps] = 2;
  std::set<search::Point> canonical;
  for (size_t i = 0; i < own.getKnobs()[reduce].values.size(); ++i) {
    point[reduce] = i;
    if (own.isLegal(point))
      canonical.insert(space->canonicalize(point));
  }
  EXPECT_EQ(canonical.size(), 1u);
  // Without, all orders of the three loops are different.
  point[taps] = 0;
  canonical.clear();
  for (size_t i = 0; i < own.getKnobs()[reduce].values.size(); ++i) {
    point[reduce] = i;
    canonical.insert(space->canonicalize(point));
  }
  EXPECT_EQ(canonical.size(), 6u);
}

TEST_F(KernelSpaceTest, AdoptsTheNearestValuesOfAnotherSpace) {
  create(productTask);
  std::vector<search::Knob> theirs = space->getSpace().getKnobs();
  std::vector<int64_t> values = space->getSpace().getValues(space->getDefault());
  EXPECT_EQ(space->adopt(theirs, values), space->getDefault());
  theirs.front().name = "other";
  EXPECT_EQ(space->adopt(theirs, values), std::nullopt);
}

TEST_F(KernelSpaceTest, AdoptsLoopsOfTheSameKernelInAnotherLayout) {
  create(convolutionTask);
  std::string blocks = convolutionTask.str();
  for (llvm::StringRef store : {"@y as map<", "0 as map<"}) {
    size_t at = blocks.find("layout.store " + store.str() + "reorder(0, 2, 3, 1)");
    ASSERT_NE(at, std::string::npos);
    at = blocks.find("reorder", at);
    blocks.replace(at, std::strlen("reorder(0, 2, 3, 1)"),
                   "split(1, [*, 8]), reorder(0, 1, 3, 4, 2)");
  }
  auto other = createTask(blocks);
  auto theirs = llvm::cantFail(KernelSpace::create(*other));
  // 2 x 4 rows of an image, and vectors of channels: all of 16, and blocks of 8.
  search::Point point = llvm::cantFail(space->getSpace().parse(
      "vector=3 lanes=16 vectors=1 rows=1 rows_extent=2 rows2=2 rows2_extent=7 fuse=1 taps=2 "
      "unroll=1 reduce=0 outer=0"));
  ASSERT_TRUE(space->getSpace().isLegal(point));
  auto adopted = theirs->adopt(*space, point);
  ASSERT_TRUE(adopted);
  EXPECT_TRUE(theirs->getSpace().isLegal(*adopted));
  layout::Point loops = theirs->decode(*adopted).back();
  EXPECT_EQ(loops.vectorDim, 4u);
  ASSERT_EQ(loops.rows.size(), 2u);
  EXPECT_EQ(loops.rows[0].dim, 2u);
  EXPECT_EQ(loops.rows[0].extent, 2);
  EXPECT_EQ(loops.rows[1].dim, 3u);
  EXPECT_EQ(loops.rows[1].extent, 7);
  EXPECT_EQ(loops.unrolled.size(), 2u);
  // And back: to itself, a space adopts each of its points.
  EXPECT_EQ(space->adopt(*space, space->getDefault()), space->getDefault());
  create(rowsTask);
  EXPECT_FALSE(space->adopt(*theirs, *adopted));
}

TEST_F(KernelSpaceTest, ScheduledKernelsHaveTheStoresOfTheTask) {
  create(convolutionTask);
  auto scheduled = kernel->getScheduled(space->decode(space->getDefault()));
  EXPECT_TRUE(mlir::succeeded(mlir::verify(*scheduled)));
  EXPECT_EQ(llvm::range_size(scheduled->getSchedule().getOps<layout::StoreOp>()), 2u);
  EXPECT_EQ(llvm::range_size(scheduled->getSchedule().getOps<layout::LoopsOp>()), 1u);
  EXPECT_EQ(getTaskKey(getTaskText(*scheduled, kernel->getConstants())),
            getTaskKey(getTaskText(*kernel->getScheduled(space->decode(space->getDraftPicks()[1])),
                                   kernel->getConstants())));
}

TEST_F(KernelSpaceTest, OperationsAndBytesAreCounted) {
  create(productTask);
  EXPECT_EQ(kernel->countOperations(), 2.0 * 64 * 48 * 32);
  EXPECT_EQ(kernel->countBytes(), 4.0 * (64 * 48 + 48 * 32 + 64 * 32));
}

TEST_F(KernelSpaceTest, OperationsOnPaddingNeedNotBeDone) {
  create(convolutionTask);
  // Of 14 x 3 pairs of a position and a tap in each direction, 2 lie in the padding.
  EXPECT_NEAR(kernel->countOperations(), 2.0 * 16 * 16 * 40 * 40, 1e-6 * 16 * 16 * 40 * 40);
}

TEST_F(KernelSpaceTest, FeaturesTellPointsOfOtherExpressionsApart) {
  create(rowsTask);
  search::Point point = space->getDefault();
  std::set<std::vector<float>> seen{space->getFeatures(point)};
  for (const search::Point &near : space->getSpace().getNeighbours(point)) {
    if (!space->getSpace().isLegal(near))
      continue;
    search::Point other = space->canonicalize(near);
    bool isOfSums = !std::equal(point.begin(), point.begin() + point.size() / 2, other.begin());
    if (isOfSums)
      EXPECT_TRUE(seen.insert(space->getFeatures(other)).second) << space->getSpace().print(other);
  }
  EXPECT_GT(seen.size(), 2u);
}

TEST_F(TunerTest, AnIndexHasNoBytes) {
  auto task = createTask(R"(// constants:
te.kernel @kernel(%x: tensor<9x8xf32>, %i: index) -> tensor<8xf32> {
  %y = te.compute @y (d0: 8) {
    %j = te.index s0(%i)
    %v = te.read %x[s0, d0](%j) : tensor<9x8xf32>
    te.yield %v : f32
  } : tensor<8xf32>
  te.return %y : tensor<8xf32>
})");
  EXPECT_EQ(task->countBytes(), 4.0 * (9 * 8 + 8));
}

TEST_F(TunerTest, TasksAreRefusedWithASentence) {
  auto refuse = [&](const std::string &text) {
    auto task = TaskKernel::create(text, context, machine);
    return task ? std::string() : llvm::toString(task.takeError());
  };
  EXPECT_EQ(refuse("te"), "a task begins with '// constants:' and ascending numbers of parameters");
  EXPECT_EQ(refuse("// constants: 5\n" + productTask.split('\n').second.str()),
            "the kernel has no parameter 5");
  EXPECT_EQ(refuse("// constants:\nmodule {}"), "a task has one kernel and nothing else");
  EXPECT_NE(refuse("// constants:\nte.kernel @kernel("), "");
}
