//===- ForkedBuildsTest.cpp - builds that end well, and others ------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Tuner/ForkedBuilds.h"
#include "lib/Tuner/ObjectStore.h"
#include "lib/Tuner/WorkerExit.h"
#include "gtest/gtest.h"

#include <csignal>
#include <iostream>
#include <unistd.h>

using namespace tssa;
using namespace tssa::tuner;
using search::TrialStatus;

TEST(ForkedBuilds, EachHasItsObject) {
  for (unsigned processes : {0u, 1u, 3u}) {
    auto builds = buildInChildren(7, processes, 60, [](size_t number, bool &isMarked) {
      isMarked = number % 2 == 1;
      auto count = static_cast<int64_t>(number);
      // Longer than a pipe holds.
      return KernelObject{std::string(number * 100000, 'a' + number), count, number > 3};
    });
    ASSERT_EQ(builds.size(), 7u);
    for (size_t number = 0; number < builds.size(); ++number) {
      const Build &build = builds[number];
      EXPECT_TRUE(build.hasCode()) << build.error;
      EXPECT_EQ(build.object.bytes, std::string(number * 100000, 'a' + number));
      EXPECT_EQ(build.object.scratchBytes, static_cast<int64_t>(number));
      EXPECT_EQ(build.object.hasScratch, number > 3);
      EXPECT_EQ(build.isMarked, number % 2 == 1);
      EXPECT_GT(build.seconds, 0);
    }
  }
  EXPECT_TRUE(buildInChildren(0, 2, 1, [](size_t, bool &) { return KernelObject(); }).empty());
}

TEST(ForkedBuilds, OneThatFailsIsAlone) {
  pid_t parent = getpid();
  auto builds = buildInChildren(
      6, 2, /*limitSeconds=*/1, [&](size_t number, bool &) -> llvm::Expected<KernelObject> {
        EXPECT_NE(getpid(), parent);
        switch (number) {
        case 0:
          return llvm::createStringError("no code");
        case 1:
          raise(SIGKILL);
          break;
        case 2:
          _exit(exitOutOfMemory);
        case 3:
          _exit(7);
        case 4:
          sleep(1000);
        }
        std::cout << "what a build prints is no answer of the worker" << std::endl;
        return KernelObject{"code", 0, false};
      });
  std::pair<TrialStatus, const char *> expected[] = {
      {TrialStatus::BuildFailed, "no code"},
      {TrialStatus::Crash, "building ended by a signal: Killed"},
      {TrialStatus::OutOfMemory, "building needs more memory than the limit"},
      {TrialStatus::Crash, "building ended with exit code 7"},
      {TrialStatus::Timeout, "building takes too long"},
      {TrialStatus::Measured, ""}};
  for (auto [build, want] : llvm::zip_equal(builds, expected)) {
    EXPECT_EQ(build.status, want.first) << build.error;
    EXPECT_EQ(build.error, want.second);
  }
  EXPECT_EQ(builds.back().object.bytes, "code");
}

TEST(ForkedBuilds, TheOldestCodeIsForgotten) {
  ObjectStore store(/*mostBytes=*/10);
  auto insert = [&](const char *task, const char *point, size_t bytes) {
    store.insert(
        task, point,
        std::make_shared<const KernelObject>(KernelObject{std::string(bytes, 'x'), 0, false}));
  };
  insert("a", "1", 4);
  insert("a", "2", 4);
  insert("a", "2", 9); // it is there
  ASSERT_TRUE(store.lookup("a", "2"));
  EXPECT_EQ(store.lookup("a", "2")->bytes.size(), 4u);
  EXPECT_FALSE(store.lookup("b", "2"));
  ObjectStore::Object kept = store.lookup("a", "1");
  insert("b", "1", 4);
  EXPECT_FALSE(store.lookup("a", "1"));
  EXPECT_EQ(kept->bytes, "xxxx");
  EXPECT_TRUE(store.lookup("a", "2"));
  EXPECT_TRUE(store.lookup("b", "1"));
}
