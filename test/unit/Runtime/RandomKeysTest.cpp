//===- RandomKeysTest.cpp - random numbers from run to run ----------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RuntimeTest.h"

#include "tssa/Support/RandomKeys.h"

#include <set>
#include <thread>

using namespace tssa::runtime;
using namespace tssa::runtime::test;
using tssa::RandomKeys;

namespace {
class RandomKeysTest : public ::testing::Test {
protected:
  TemporaryFolder folder;
  std::string path = folder.file("add.so");

  void SetUp() override { writeAddArtifact(path); }
  std::unique_ptr<Session> load(std::optional<uint64_t> seed = std::nullopt) {
    SessionOptions options;
    options.seed = seed;
    std::unique_ptr<Session> session;
    EXPECT_OK(Session::load(path, options, session));
    return session;
  }
  /// Returns a number that tells the keys of runs apart.
  static float run(Session &session, int32_t mode = DrawKey) {
    AddArguments arguments(1, mode);
    std::vector<Tensor> results;
    EXPECT_OK(session.run(arguments.get(), {}, {}, results));
    return results.empty() ? -1 : static_cast<float *>(results[0].data)[0];
  }
};
} // namespace

TEST_F(RandomKeysTest, RunsDiffer) {
  auto session = load(1);
  EXPECT_NE(run(*session), run(*session));
}

TEST_F(RandomKeysTest, SessionsWithoutASeedDiffer) {
  // Two runs, since the 20 bits of a single one may be equal by chance.
  auto one = load(), two = load();
  std::pair<float, float> first = {run(*one), run(*one)}, second = {run(*two), run(*two)};
  EXPECT_NE(first, second);
}

TEST_F(RandomKeysTest, SessionsWithOneSeedAgree) {
  auto one = load(7), two = load(7), other = load(8);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(run(*one), run(*two));
  EXPECT_NE(run(*one), run(*other));
}

TEST_F(RandomKeysTest, AnOwnSeedRepeatsInEachSession) {
  auto one = load(), two = load();
  float first = run(*one, DrawOwnKey), second = run(*one, DrawOwnKey);
  EXPECT_NE(first, second);
  EXPECT_EQ(first, run(*two, DrawOwnKey));
  EXPECT_EQ(second, run(*two, DrawOwnKey));
}

TEST_F(RandomKeysTest, RunsAtTheSameTimeDiffer) {
  auto session = load(1), serial = load(1);
  std::vector<float> found(32);
  {
    std::vector<std::thread> threads;
    for (float &value : found)
      threads.emplace_back([&] { value = run(*session); });
    for (std::thread &thread : threads)
      thread.join();
  }
  std::multiset<float> expected;
  for (size_t i = 0; i < found.size(); ++i)
    expected.insert(run(*serial));
  EXPECT_EQ(std::multiset<float>(found.begin(), found.end()), expected);
}

TEST(RandomKeys, AllDiffer) {
  std::set<uint64_t> keys;
  size_t count = 0;
  for (uint64_t seed : {0, 1})
    for (uint64_t number : {0, 1}) {
      RandomKeys run(seed, number);
      for (uint64_t stream : {0, 1, 2})
        for (int execution = 0; execution < 3; ++execution, ++count)
          keys.insert(run.next(stream, nullptr));
    }
  EXPECT_EQ(keys.size(), count);
}

TEST(RandomKeys, OwnSeedsDoNotDependOnTheSession) {
  RandomKeys one(1, 4), two(2, 4);
  uint64_t seed = 9, other = 10;
  uint64_t first = one.next(3, &seed);
  EXPECT_EQ(first, two.next(5, &seed));
  EXPECT_NE(first, two.next(5, &seed));
  EXPECT_NE(first, two.next(6, &other));
}
