//===- JudgeTest.cpp - rankings on invented trials ------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Tuner/Judge.h"
#include "TunerTest.h"

using namespace tssa;
using namespace tssa::tuner;

namespace {
class JudgeTest : public TunerTest {
protected:
  JudgeTest() {
    kernel = createTask(convolutionTask);
    space = llvm::cantFail(KernelSpace::create(*kernel));
  }

  /// A pool of the draft's picks; `getSeconds` invents a time for each.
  std::vector<search::Measured>
  makePool(llvm::function_ref<std::optional<double>(const search::Point &)> getSeconds) {
    std::vector<search::Measured> pool;
    for (const search::Point &pick : space->getDraftPicks())
      pool.push_back({pick, getSeconds(pick)});
    return pool;
  }

  std::unique_ptr<TaskKernel> kernel;
  std::unique_ptr<KernelSpace> space;
};
} // namespace

TEST_F(JudgeTest, TheDraftIsBestWhereTimesAreWhatItPredicts) {
  auto pool = makePool([&](const search::Point &point) { return space->getCycles(point); });
  ASSERT_GE(pool.size(), 64u);
  auto judgements = llvm::cantFail(judge(*space, pool, SearchOptions::DraftOnly, 2));
  ASSERT_EQ(judgements.size(), 4u);
  // The default is what the draft ranks first, and it is measured first.
  for (const Judgement &judgement : judgements)
    EXPECT_EQ(judgement.share, 1);
}

TEST_F(JudgeTest, SharesGrowWithTrialsAndTheModelLearns) {
  // Times that the draft ranks in the wrong order: only the model finds the best early.
  auto pool = makePool([&](const search::Point &point) { return 1 / space->getCycles(point); });
  auto draft = llvm::cantFail(judge(*space, pool, SearchOptions::DraftOnly, 3));
  auto model = llvm::cantFail(judge(*space, pool, SearchOptions::Model, 3));
  for (const auto &judgements : {draft, model})
    for (size_t i = 1; i < judgements.size(); ++i)
      EXPECT_GE(judgements[i].share, judgements[i - 1].share);
  EXPECT_GT(model.back().share, draft.back().share);
}

TEST_F(JudgeTest, APoolWithoutATimeIsRefused) {
  auto pool = makePool([](const search::Point &) { return std::nullopt; });
  EXPECT_EQ(llvm::toString(judge(*space, pool, SearchOptions::Model, 1).takeError()),
            "no point of the pool has a time");
}
