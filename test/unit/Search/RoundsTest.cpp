//===- RoundsTest.cpp - a whole search, and its replay ----------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DatabaseTest.h"

#include "tssa/Search/Batch.h"
#include "tssa/Search/CostModel.h"

#include <cmath>

using namespace tssa::search;

namespace {

constexpr uint64_t seed = 11;
constexpr uint32_t rounds = 6;
const std::string task = "k";

/// 7,680 points.
Space makeSpace() {
  return llvm::cantFail(
      Space::create({{"rows", {1, 2, 3, 4, 6, 8, 12, 16}},
                     {"vectors", {1, 2, 3, 4}},
                     {"depth", {16, 32, 64, 128, 256, 512}},
                     {"unroll", {1, 2, 4, 8, 16}},
                     {"order", {0, 1, 2, 3, 4, 5, 6, 7}}},
                    [](llvm::ArrayRef<int64_t> values) { return values[0] * values[1] <= 32; }));
}

/// A draft that does not know of orders and of sums that are too deep.
double draft(llvm::ArrayRef<int64_t> values) {
  double registers = double(values[0] * values[1]);
  return 1 + 8 / registers + (registers > 24 ? 2 : 0) + 1 / double(values[3]);
}

/// The time of the kernel.
double getTime(llvm::ArrayRef<int64_t> values) {
  return draft(values) + double(values[4] ^ 5) / 2 + (values[2] > 128 ? 1 : 0) +
         32 / double(values[2]);
}

Features describe(llvm::ArrayRef<int64_t> values) {
  Features features = {float(draft(values))};
  features.insert(features.end(), values.begin(), values.end());
  return features;
}

class RoundsTest : public DatabaseTest {
protected:
  Space space = makeSpace();
  CostModel model =
      llvm::cantFail(CostModel::create({"draft", "rows", "vectors", "depth", "unroll", "order"}));

  std::vector<double> score(llvm::ArrayRef<Point> points) {
    std::vector<Features> features;
    std::vector<double> scores;
    for (const Point &point : points) {
      features.push_back(describe(space.getValues(point)));
      scores.push_back(-features.back()[0]);
    }
    return llvm::cantFail(model.predict(features)).value_or(scores);
  }

  /// The points to measure after `history`.
  std::vector<Point> proposeBatch(History history, uint32_t round) {
    std::vector<Row> rows;
    for (const Measured &measured : history)
      rows.push_back({0, describe(space.getValues(measured.point)), measured.seconds});
    EXPECT_EQ(getMessage(model.train(rows)), "");
    Random random(seed, hashBytes(task), round);
    auto scorer = [&](llvm::ArrayRef<Point> points) { return score(points); };
    Proposals proposals = createEvolutionSampler()->propose(space, history, 256, scorer, random);
    std::vector<Point> batch;
    for (size_t position : chooseBatch(proposals.candidates, {}, random))
      batch.push_back(proposals.candidates[position].point);
    return batch;
  }

  /// The points of the task's trials, checked as those of a file that others have written.
  std::vector<Measured> readHistory(Database &database) {
    std::vector<Measured> history;
    for (const Trial &trial : llvm::cantFail(database.readTrials(task)).valid)
      history.push_back({llvm::cantFail(space.parse(trial.point)), trial.seconds});
    return history;
  }

  void runRound(Database &database, int64_t session, uint32_t round) {
    WriteBatch batch;
    batch.tasks = {{task, "text"}};
    for (const Point &point : proposeBatch(readHistory(database), round)) {
      Trial trial = makeTrial(task, getTime(space.getValues(point)));
      trial.point = space.print(point);
      batch.trials.push_back(trial);
      batch.records.push_back({task, "m1", "e1", *trial.seconds, trial.point});
      batch.proposals.push_back({session, task, round, trial.point});
    }
    ASSERT_EQ(getMessage(database.write(batch)), "");
  }
};

TEST_F(RoundsTest, FindsAFastPointAndReplays) {
  Database database = open();
  int64_t number = llvm::cantFail(database.beginSession(seed, "--trials=48"));
  for (uint32_t round = 0; round < rounds; ++round)
    runRound(database, number, round);
  double fastest = INFINITY;
  for (uint64_t i = 0; i < space.countPoints(); ++i)
    if (space.isLegal(space.getPoint(i)))
      fastest = std::min(fastest, getTime(space.getValues(space.getPoint(i))));
  std::optional<Record> record = llvm::cantFail(database.readRecord(task, "m1", "e1"));
  ASSERT_TRUE(record);
  RecordProperty("share", std::to_string(fastest / record->seconds));
  EXPECT_GT(fastest / record->seconds, 0.9);

  Database again = open();
  Session session = *llvm::cantFail(again.readSession(number));
  std::vector<Measured> history = readHistory(again);
  ASSERT_EQ(session.proposals.size(), history.size());
  size_t next = 0;
  for (uint32_t round = 0; round < rounds; ++round)
    for (const Point &point : proposeBatch(llvm::ArrayRef(history).take_front(8 * round), round))
      EXPECT_EQ(space.print(point), session.proposals[next++].point);
  EXPECT_EQ(next, 48u);
}

} // namespace
