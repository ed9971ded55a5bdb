//===- ConcurrencyTest.cpp - many threads, one session --------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RuntimeTest.h"

#include <chrono>
#include <cmath>
#include <cstring>
#include <random>
#include <sys/wait.h>
#include <unistd.h>

using namespace tssa::runtime;
using namespace tssa::runtime::test;
using namespace std::chrono_literals;

namespace {
class Concurrency : public ::testing::Test {
protected:
  TemporaryFolder folder;
  std::unique_ptr<Session> session;

  void SetUp() override {
    std::string path = folder.file("add.so");
    writeAddArtifact(path);
    SessionOptions options;
    options.threads = 4;
    ASSERT_OK(Session::load(path, options, session));
  }

  Status run(int32_t mode, std::vector<Tensor> &results, const RunOptions &options = {},
             int64_t rows = 40) {
    AddArguments arguments(rows, mode);
    return session->run(arguments.get(), {}, options, results);
  }
  Status run(int32_t mode = Normal, const RunOptions &options = {}) {
    std::vector<Tensor> results;
    return run(mode, results, options);
  }
};

/// Threads that are joined at the end of their scope.
struct Threads {
  std::vector<std::thread> list;
  ~Threads() { join(); }
  void join() {
    for (std::thread &thread : list)
      thread.join();
    list.clear();
  }
  template <typename Work> void add(int count, Work work) {
    for (int i = 0; i < count; ++i)
      list.emplace_back(work, i);
  }
};
} // namespace

TEST_F(Concurrency, SixtyFourThreadsGetTheSameBits) {
  std::vector<Tensor> expected;
  ASSERT_OK(run(Normal, expected));
  std::atomic<int> different{0};
  {
    Threads threads;
    threads.add(64, [&](int) {
      for (int i = 0; i < 20; ++i) {
        std::vector<Tensor> results;
        Status status = run(Normal, results);
        bool same = status.ok();
        for (size_t r = 0; same && r < expected.size(); ++r)
          same = results[r].shape == expected[r].shape &&
                 !std::memcmp(results[r].data, expected[r].data, size_t(expected[r].getByteSize()));
        different += !same;
      }
    });
  }
  EXPECT_EQ(different, 0);
}

TEST_F(Concurrency, ResultsInUseAreNotWrittenByOtherRuns) {
  std::atomic<int> different{0};
  Threads threads;
  threads.add(8, [&](int thread) {
    int64_t rows = 8000 + 100 * (thread % 3);
    AddArguments arguments(rows);
    std::vector<Tensor> results[2];
    for (int i = 0; i < 30; ++i) {
      Status status = session->run(arguments.get(), {}, {}, results[i % 2]);
      bool same = status.ok();
      for (const std::vector<Tensor> &held : results)
        for (int64_t e = 0; same && !held.empty() && e < rows * 3; ++e)
          same = static_cast<float *>(held[0].data)[e] ==
                 arguments.a[e] + arguments.b[e] + (e % 3 == 0 ? 0.5f : float(e % 3));
      different += !same;
    }
  });
  threads.join();
  EXPECT_EQ(different, 0);
}

TEST_F(Concurrency, CloseWaitsForRuns) {
  std::atomic<bool> cancel{false};
  std::atomic<int> closed{0};
  {
    Threads threads;
    threads.add(8, [&](int) {
      RunOptions options;
      options.cancel = &cancel;
      EXPECT_FAULT(TSSA_CANCELLED, "cancelled", run(LoopForEver, options));
    });
    while (session->getActiveRuns() < 8)
      std::this_thread::yield();
    threads.add(2, [&](int) {
      session->close();
      EXPECT_EQ(session->getActiveRuns(), 0u);
      ++closed;
    });
    std::this_thread::sleep_for(20ms);
    EXPECT_EQ(closed, 0);
    cancel = true;
  }
  EXPECT_EQ(closed, 2);
}

TEST_F(Concurrency, RunsAfterCloseAreRefused) {
  std::vector<Tensor> results;
  ASSERT_OK(run(Normal, results));
  session->close();
  session->close();
  EXPECT_FAULT(TSSA_INVALID_ARGUMENT, "the session is closed", run());
  AddArguments arguments(2);
  int64_t bytes;
  EXPECT_FAULT(TSSA_INVALID_ARGUMENT, "the session is closed",
               session->planMemory(arguments.get(), bytes));
  // The manifest and the results can still be used.
  EXPECT_EQ(session->getManifest().modelName, "add");
  EXPECT_EQ(static_cast<float *>(results[0].data)[1], 22);
}

TEST_F(Concurrency, CloseWhileOthersBeginRuns) {
  std::atomic<int> ran{0};
  {
    Threads threads;
    threads.add(8, [&](int) {
      Status status;
      while ((status = run()).ok())
        ++ran;
      EXPECT_EQ(status.code, TSSA_INVALID_ARGUMENT) << status.message;
    });
    while (ran < 50)
      std::this_thread::yield();
    session->close();
  }
  EXPECT_GE(ran, 50);
}

TEST_F(Concurrency, CancelledBeforeItBegins) {
  std::atomic<bool> cancel{true};
  RunOptions options;
  options.cancel = &cancel;
  EXPECT_FAULT(TSSA_CANCELLED, "cancelled", run(Normal, options));
  cancel = false;
  EXPECT_OK(run(Normal, options));
  cancel = true; // cancelling after the run does nothing
  cancel = false;
  EXPECT_OK(run(Normal, options));
}

TEST_F(Concurrency, CancelStorm) {
  std::atomic<int> cancelled{0}, late{0};
  {
    Threads threads;
    threads.add(8, [&](int seed) {
      std::mt19937 random(seed);
      for (int i = 0; i < 40; ++i) {
        std::atomic<bool> cancel{false};
        std::chrono::steady_clock::time_point asked;
        auto wait = std::chrono::microseconds(random() % 5000);
        std::thread canceller([&] {
          std::this_thread::sleep_for(wait);
          asked = std::chrono::steady_clock::now();
          cancel = true;
        });
        RunOptions options;
        options.cancel = &cancel;
        Status status = run(i % 4 ? LoopForEver : Normal, options);
        auto now = std::chrono::steady_clock::now();
        canceller.join();
        cancelled += status.code == TSSA_CANCELLED;
        EXPECT_TRUE(status.ok() || status.code == TSSA_CANCELLED) << status.message;
        late += now - asked > 5s;
      }
    });
  }
  EXPECT_GE(cancelled, 8 * 30);
  EXPECT_EQ(late, 0);
  EXPECT_OK(run());
}

TEST_F(Concurrency, TimeLimitsThatAreNone) {
  RunOptions options;
  for (double seconds : {-1.0, std::nan("")}) {
    options.timeoutSeconds = seconds;
    EXPECT_FAULT(TSSA_INVALID_ARGUMENT, "not a number of seconds", run(Normal, options));
  }
  options.timeoutSeconds = HUGE_VAL;
  EXPECT_OK(run(Normal, options));
  options.timeoutSeconds = 1e-9;
  EXPECT_FAULT(TSSA_CANCELLED, "took longer than 0.000000 s", run(Normal, options));
}

TEST_F(Concurrency, TheChildOfAForkIsRefused) {
  std::atomic<bool> cancel{false};
  Threads threads;
  threads.add(2, [&](int) {
    RunOptions options;
    options.cancel = &cancel;
    (void)run(LoopForEver, options);
  });
  while (session->getActiveRuns() < 2)
    std::this_thread::yield();
  pid_t child = fork();
  if (child == 0) {
    Status status = run();
    session.reset(); // does not wait for the parent's runs
    _exit(status.code == TSSA_INVALID_ARGUMENT &&
                  status.message.find("forked: load the model") != std::string::npos
              ? 0
              : 1);
  }
  cancel = true;
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}
