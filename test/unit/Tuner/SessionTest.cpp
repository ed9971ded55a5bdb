//===- SessionTest.cpp - searches and sessions on invented times ----------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Tuner/Session.h"
#include "TunerTest.h"
#include "tssa/Pipeline/Tasks.h"
#include "tssa/Target/CPU.h"
#include "llvm/Support/FileSystem.h"

#include <set>

using namespace tssa;
using namespace tssa::tuner;

namespace {
search::Task makeTask(llvm::StringRef text) { return {getTaskKey(text), text.str()}; }

/// A time that depends on the point and is not what the draft predicts. The default takes longer
/// than most, so that there is something to gain.
Outcome invent(const TaskState &state, const search::Point &point) {
  const KernelSpace &space = state.search->getSpace();
  uint64_t hash = search::hashPoint(point);
  Outcome outcome;
  if (hash % 11 == 0 && point != space.getDefault()) {
    outcome.status = search::TrialStatus::Wrong;
    return outcome;
  }
  uint64_t excess = point == space.getDefault() ? 48 : hash % 64;
  outcome.seconds = space.getCycles(point) * 1e-9 * (1 + static_cast<double>(excess) / 64);
  return outcome;
}

class SessionTest : public TunerTest {
protected:
  SessionTest() {
    llvm::SmallString<128> path;
    EXPECT_FALSE(llvm::sys::fs::createUniqueDirectory("tssa-session", path));
    folder = path.str();
  }
  ~SessionTest() override { (void)llvm::sys::fs::remove_directories(folder); }

  Plan makePlan(std::vector<llvm::StringRef> texts, uint64_t trials) {
    Plan plan;
    plan.search.seed = 7;
    plan.trials = trials;
    plan.machine = "machine";
    plan.machineText = cpu::printMachine(getMachine());
    plan.epoch = "epoch";
    for (llvm::StringRef text : texts)
      plan.tasks.push_back({makeTask(text), "k", 1, 0});
    return plan;
  }

  cpu::Machine getMachine() const {
    return llvm::cantFail(cpu::restoreMachine("x86-64-v3", {"avx2", "f16c", "fma"}, machine));
  }

  std::unique_ptr<Session> createSession(Plan plan,
                                         std::vector<std::vector<search::Trial>> trials = {}) {
    trials.resize(plan.tasks.size());
    auto session = Session::create(std::move(plan), trials, context, machine);
    EXPECT_TRUE(static_cast<bool>(session));
    return std::move(*session);
  }

  /// Runs rounds until the session ends or `most` rounds were run. Writes them to `database`.
  void run(Session &session, search::Database *database, int64_t number, unsigned most = 1000) {
    for (unsigned i = 0; i < most; ++i) {
      auto round = session.propose();
      ASSERT_TRUE(static_cast<bool>(round));
      if (!*round)
        return;
      const TaskState &state = session.getTasks()[(*round)->task];
      search::WriteBatch batch;
      std::vector<Outcome> outcomes;
      for (const search::Point &point : (*round)->points) {
        outcomes.push_back(invent(state, point));
        const Outcome &outcome = outcomes.back();
        std::string text = state.search->getSpace().getSpace().print(point);
        batch.trials.push_back(
            {state.planned.task.key, text, outcome.status,
             outcome.isMeasured() ? std::optional(outcome.seconds) : std::nullopt, 0.1, 1, "epoch",
             "machine", state.search->getSpace().getFeatures(point), session.getFeatureHash()});
        batch.proposals.push_back({number, state.planned.task.key, i, text});
      }
      if (database)
        ASSERT_FALSE(database->write(batch));
      session.add(**round, outcomes);
    }
  }

  std::string folder;
};
} // namespace

TEST_F(SessionTest, TheFirstRoundHasTheDefaultAndNoPointComesTwice) {
  auto session = createSession(makePlan({convolutionTask}, 200));
  std::set<search::Point> seen;
  bool isFirst = true;
  while (true) {
    auto round = session->propose();
    ASSERT_TRUE(static_cast<bool>(round));
    if (!*round)
      break;
    const TaskState &state = session->getTasks()[0];
    if (isFirst)
      EXPECT_EQ((*round)->points.front(), state.search->getSpace().getDefault());
    isFirst = false;
    std::vector<Outcome> outcomes;
    for (const search::Point &point : (*round)->points) {
      EXPECT_TRUE(seen.insert(point).second);
      EXPECT_TRUE(state.search->getSpace().getSpace().isLegal(point));
      outcomes.push_back(invent(state, point));
    }
    session->add(**round, outcomes);
  }
  EXPECT_FALSE(isFirst);
  EXPECT_LE(session->countTrials(), 200u);
}

TEST_F(SessionTest, SearchingGains) {
  auto session = createSession(makePlan({convolutionTask}, 96));
  run(*session, nullptr, 0);
  const TaskSearch &search = *session->getTasks()[0].search;
  EXPECT_LT(*search.getBestSeconds(), *search.getDefaultSeconds());
  EXPECT_GE(session->getFinalists(0).size(), 5u);
  EXPECT_EQ(session->getFinalists(0).front(), search.getSpace().getDefault());
}

TEST_F(SessionTest, ASearchEndsWithoutGains) {
  auto session = createSession(makePlan({rowsTask}, 100000));
  run(*session, nullptr, 0);
  EXPECT_TRUE(session->getTasks()[0].search->isFinished());
  EXPECT_LT(session->countTrials(), 2000u);
}

TEST_F(SessionTest, TheBudgetGoesToTheTaskThatCounts) {
  Plan plan = makePlan({productTask, convolutionTask}, 40);
  plan.tasks[0].calls = 1e-6;
  auto session = createSession(plan);
  run(*session, nullptr, 0);
  EXPECT_EQ(session->getTasks()[0].trials, 8u);
  EXPECT_EQ(session->getTasks()[1].trials, 32u);
}

TEST_F(SessionTest, ATaskAtItsRoofLeaves) {
  Plan plan = makePlan({productTask}, 64);
  plan.roof.flopsPerSecond = 1; // slower than any time
  auto session = createSession(plan);
  run(*session, nullptr, 0);
  EXPECT_EQ(session->countTrials(), 8u);
}

TEST_F(SessionTest, ATaskWithoutSpaceHasAnObstacle) {
  auto session = createSession(makePlan({"// constants:\nmodule {}", productTask}, 8));
  EXPECT_EQ(session->getTasks()[0].obstacle, "a task has one kernel and nothing else");
  run(*session, nullptr, 0);
  EXPECT_EQ(session->getTasks()[1].trials, 8u);
}

TEST_F(SessionTest, PlansAreReadAgain) {
  Plan plan = makePlan({productTask}, 64);
  plan.search.seed = UINT64_MAX;
  plan.roof = {1.25e11, {{24576, 1.0 / 3}, {65536, 2e10}}};
  auto read = Plan::parse(plan.print());
  ASSERT_TRUE(static_cast<bool>(read));
  EXPECT_EQ(read->print(), plan.print());
  std::string deep(500000, '[');
  for (llvm::StringRef bad : {"", "{}", "[1]", "{\"seed\": 1}", deep.c_str()})
    EXPECT_EQ(llvm::toString(Plan::parse(bad).takeError()), "the plan of the session is damaged");
}

TEST_F(SessionTest, ASessionIsReplayedAndResumed) {
  search::Database database = llvm::cantFail(search::Database::open(folder + "/tune.db"));
  Plan plan = makePlan({productTask, convolutionTask, rowsTask}, 120);
  search::WriteBatch tasks;
  for (const PlannedTask &task : plan.tasks)
    tasks.tasks.push_back(task.task);
  ASSERT_FALSE(database.write(tasks));

  // It is killed after six rounds, and goes on in a second session.
  int64_t first = llvm::cantFail(database.beginSession(7, plan.print()));
  auto killed = createSession(plan);
  run(*killed, &database, first, 6);
  std::vector<std::vector<search::Trial>> trials;
  for (PlannedTask &task : plan.tasks) {
    trials.push_back(llvm::cantFail(database.readTrials(task.task.key)).valid);
    task.earlier = trials.back().size();
  }
  int64_t second = llvm::cantFail(database.beginSession(7, plan.print()));
  auto resumed = createSession(plan, trials);
  uint64_t before = killed->countTrials();
  EXPECT_EQ(resumed->countTrials(), before);
  run(*resumed, &database, second);
  EXPECT_EQ(resumed->countTrials(), 120u);

  EXPECT_EQ(llvm::cantFail(replay(database, first, context)), before);
  EXPECT_EQ(llvm::cantFail(replay(database, second, context)), 120 - before);
  EXPECT_EQ(llvm::toString(replay(database, 99, context).takeError()),
            "the database has no session 99");
}

// The cost model learns from other tasks too, as far as they were measured when the session began.
TEST_F(SessionTest, OtherTasksAreLearnedFrom) {
  search::Database database = llvm::cantFail(search::Database::open(folder + "/tune.db"));
  Plan before = makePlan({productTask, rowsTask}, 96), plan = makePlan({convolutionTask}, 96);
  ASSERT_FALSE(database.write(
      {{before.tasks[0].task, before.tasks[1].task, plan.tasks[0].task}, {}, {}, {}}));
  run(*createSession(before), &database, llvm::cantFail(database.beginSession(7, before.print())));
  plan.lastTrial = llvm::cantFail(database.findLastTrial());
  EXPECT_GT(plan.lastTrial, 32);
  auto tune = [&](const Plan &plan) {
    int64_t number = llvm::cantFail(database.beginSession(7, plan.print()));
    auto session = createSession(plan);
    EXPECT_FALSE(session->learnFromOthers(database));
    run(*session, &database, number);
    return number;
  };
  int64_t learned = tune(plan);
  EXPECT_GT(llvm::cantFail(replay(database, learned, context)), 16u);
  plan.lastTrial = 0;
  int64_t alone = tune(plan);
  auto getPoints = [&](int64_t number) {
    std::vector<std::string> points;
    for (const search::Proposal &proposal : llvm::cantFail(database.readSession(number))->proposals)
      points.push_back(proposal.point);
    return points;
  };
  EXPECT_NE(getPoints(alone), getPoints(learned));
}

TEST_F(SessionTest, AnotherProposalIsFoundByReplay) {
  search::Database database = llvm::cantFail(search::Database::open(folder + "/tune.db"));
  Plan plan = makePlan({productTask}, 16);
  ASSERT_FALSE(database.write({{plan.tasks[0].task}, {}, {}, {}}));
  int64_t number = llvm::cantFail(database.beginSession(7, plan.print()));
  ASSERT_FALSE(database.write({{}, {}, {}, {{number, plan.tasks[0].task.key, 0, "vector=1"}}}));
  std::string text = llvm::toString(replay(database, number, context).takeError());
  EXPECT_NE(text.find("proposal 0 is 'vector="), std::string::npos) << text;
}
