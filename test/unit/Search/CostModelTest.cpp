//===- CostModelTest.cpp - tests of the cost model -*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Messages.h"

#include "tssa/Search/CostModel.h"
#include "tssa/Search/Random.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

#include <cmath>
#include <numeric>

using namespace tssa::search;

namespace {

const std::vector<std::string> names = {"draft", "rows", "vectors", "unroll", "stride"};

/// A point of a made-up kernel. Its draft sees only a part of what its time depends on.
Row makeRow(Random &random, uint64_t task = 0) {
  float rows = float(random.below(16)), vectors = float(random.below(4));
  float unroll = float(random.below(8)), stride = float(random.below(2));
  double registers = rows * vectors;
  double draft = 1 + std::abs(registers - 24) / 8;
  double time = draft + (stride && rows > 8 ? 3 : 0) + std::abs(unroll - 4) / 2;
  time *= 1 + 0.02 * random.uniform();
  return {task, {float(draft), rows, vectors, unroll, stride}, time * (task ? 1e-6 : 1e-3)};
}

std::vector<Row> makeRows(size_t count, uint32_t round) {
  Random random(5, 0, round);
  std::vector<Row> rows;
  for (size_t i = 0; i < count; ++i)
    rows.push_back(makeRow(random, i % 2));
  return rows;
}

std::vector<Features> getFeatures(llvm::ArrayRef<Row> rows) {
  std::vector<Features> features;
  for (const Row &row : rows)
    features.push_back(row.features);
  return features;
}

std::vector<double> getRanks(llvm::ArrayRef<double> values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t(0));
  llvm::sort(order, [&](size_t a, size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (size_t i = 0; i < order.size();) {
    size_t end = i;
    while (end < order.size() && values[order[end]] == values[order[i]])
      ++end;
    for (size_t j = i; j < end; ++j)
      ranks[order[j]] = double(i + end - 1) / 2;
    i = end;
  }
  return ranks;
}

/// Spearman's rank correlation.
double correlate(llvm::ArrayRef<double> a, llvm::ArrayRef<double> b) {
  std::vector<double> x = getRanks(a), y = getRanks(b);
  double mean = double(x.size() - 1) / 2, xy = 0, xx = 0, yy = 0;
  for (auto [one, other] : llvm::zip_equal(x, y)) {
    xy += (one - mean) * (other - mean);
    xx += (one - mean) * (one - mean);
    yy += (other - mean) * (other - mean);
  }
  return xy / std::sqrt(xx * yy);
}

CostModel makeTrained(llvm::ArrayRef<Row> rows) {
  CostModel model = llvm::cantFail(CostModel::create(names));
  EXPECT_EQ(getMessage(model.train(rows)), "");
  EXPECT_TRUE(model.isTrained());
  return model;
}

std::vector<double> predict(const CostModel &model, llvm::ArrayRef<Row> rows) {
  return *llvm::cantFail(model.predict(getFeatures(rows)));
}

TEST(CostModelTest, RanksBetterThanTheDraft) {
  CostModel model = makeTrained(makeRows(96, 0));
  std::vector<Row> unseen = makeRows(400, 1);
  // Times of one task are compared.
  llvm::erase_if(unseen, [](const Row &row) { return row.task != 0; });
  std::vector<double> draft, time;
  for (const Row &row : unseen) {
    draft.push_back(-row.features[0]);
    time.push_back(-*row.seconds);
  }
  double learned = correlate(predict(model, unseen), time), drafted = correlate(draft, time);
  RecordProperty("learned", std::to_string(learned));
  RecordProperty("drafted", std::to_string(drafted));
  EXPECT_GT(learned, drafted + 0.05);
  EXPECT_GT(learned, 0.85);
}

TEST(CostModelTest, IsDeterministic) {
  std::vector<Row> rows = makeRows(64, 0), unseen = makeRows(100, 1);
  CostModel first = makeTrained(rows), second = makeTrained(rows);
  EXPECT_EQ(predict(first, unseen), predict(second, unseen));
  // What a model knew before does not matter.
  ASSERT_EQ(getMessage(first.train(makeRows(30, 2))), "");
  EXPECT_NE(predict(first, unseen), predict(second, unseen));
  ASSERT_EQ(getMessage(first.train(rows)), "");
  EXPECT_EQ(predict(first, unseen), predict(second, unseen));
}

TEST(CostModelTest, KnowsNothingFromFewRows) {
  CostModel model = llvm::cantFail(CostModel::create(names));
  std::vector<Row> rows = makeRows(8, 0);
  EXPECT_EQ(llvm::cantFail(model.predict(getFeatures(rows))), std::nullopt);
  ASSERT_EQ(getMessage(model.train(llvm::ArrayRef(rows).drop_back())), "");
  EXPECT_EQ(llvm::cantFail(model.predict(getFeatures(rows))), std::nullopt);
  ASSERT_EQ(getMessage(model.train(rows)), "");
  EXPECT_EQ(llvm::cantFail(model.predict(getFeatures(rows)))->size(), 8u);
  EXPECT_TRUE(llvm::cantFail(model.predict({}))->empty());
  rows[3].seconds = std::nullopt;
  ASSERT_EQ(getMessage(model.train(rows)), "");
  EXPECT_FALSE(model.isTrained());
}

TEST(CostModelTest, FailuresAreSlow) {
  std::vector<Row> rows = makeRows(80, 0);
  for (Row &row : rows)
    if (row.features[1] > 12)
      row.seconds = std::nullopt;
  CostModel model = makeTrained(rows);
  for (auto [row, predicted] : llvm::zip_equal(rows, predict(model, rows)))
    EXPECT_NEAR(predicted, row.seconds ? predicted : 0, 0.1);
}

TEST(CostModelTest, RefusesBadRows) {
  CostModel model = makeTrained(makeRows(20, 0));
  std::vector<Row> rows = makeRows(20, 0);
  std::vector<double> before = predict(model, rows);
  auto change = [&](auto change) {
    std::vector<Row> changed = rows;
    change(changed[5]);
    return model.train(changed);
  };
  EXPECT_EQ(getMessage(change([](Row &row) { row.features.pop_back(); })),
            "a point has 4 features, expected 5");
  EXPECT_EQ(getMessage(change([](Row &row) { row.features[1] = NAN; })),
            "the feature rows is not finite");
  EXPECT_EQ(getMessage(change([](Row &row) { row.seconds = 0; })),
            "the time of a row is 0.000000e+00 s, expected a positive one");
  EXPECT_NE(getMessage(change([](Row &row) { row.seconds = INFINITY; })), "");
  EXPECT_EQ(getMessage(model.predict(Features(6, 0.0f))), "a point has 6 features, expected 5");
  EXPECT_EQ(predict(model, rows), before);
  EXPECT_EQ(getMessage(CostModel::create({})), "a cost model has 1 to 4096 features, not 0");
  EXPECT_EQ(getMessage(CostModel::create({"a\nb"})),
            "the name of a feature is empty or has a line break");
}

TEST(CostModelTest, OtherNamesHaveAnotherHash) {
  auto getHash = [](std::vector<std::string> names) {
    return llvm::cantFail(CostModel::create(std::move(names))).getFeatureHash();
  };
  EXPECT_EQ(getHash({"a", "bc"}), getHash({"a", "bc"}));
  EXPECT_NE(getHash({"a", "bc"}), getHash({"ab", "c"}));
  EXPECT_NE(getHash({"a", "b"}), getHash({"b", "a"}));
}

} // namespace
