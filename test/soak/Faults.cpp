//===- Faults.cpp - cancelling, too little memory, forks, signals --------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Soak.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <new>
#include <random>
#include <sys/time.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace tssa::runtime;

namespace tssa::soak {

//===----------------------------------------------------------------------===//
// Cancelling
//===----------------------------------------------------------------------===//

/// Sets a flag repeatedly after a delay, from a separate thread.
class Canceller {
public:
  Canceller() : thread([this] { work(); }) {}
  ~Canceller() {
    set([this] { stopping = true; });
    thread.join();
  }
  void start(std::chrono::microseconds after) {
    flag = false;
    set([&] {
      wait = after;
      pending = true;
    });
  }
  /// Waits until the flag is set, and returns the seconds since then.
  double finish() {
    Clock::time_point now = Clock::now();
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [&] { return !pending; });
    return std::chrono::duration<double>(now - asked).count();
  }
  std::atomic<bool> flag{false};

private:
  std::mutex mutex;
  std::condition_variable changed;
  std::chrono::microseconds wait{0};
  Clock::time_point asked;
  bool pending = false, stopping = false;
  std::thread thread;

  template <typename Change> void set(Change change) {
    std::lock_guard<std::mutex> lock(mutex);
    change();
    changed.notify_all();
  }
  void work() {
    std::unique_lock<std::mutex> lock(mutex);
    while (true) {
      changed.wait(lock, [&] { return pending || stopping; });
      if (stopping)
        return;
      lock.unlock();
      std::this_thread::sleep_for(wait);
      lock.lock();
      asked = Clock::now();
      flag = true;
      pending = false;
      changed.notify_all();
    }
  }
};

/// Tests cancellation. The first model loops for ever on its first arguments; the second one is
/// fast.
bool soakCancel(std::vector<Model> &models, double) {
  Findings findings("cancel");
  constexpr int64_t total = 10000;
  std::unique_ptr<Session> endless = load(models[0], 2), quick = load(models[1], 2);
  std::atomic<int64_t> next{0}, cancelled{0}, wrong{0};
  std::vector<double> delays;
  std::mutex mutex;
  inParallel(6, 1e9, [&](int thread, const std::function<bool()> &) {
    std::mt19937 random(unsigned(thread) + 1);
    Canceller canceller;
    std::vector<double> own;
    for (int64_t i; (i = next++) < total;) {
      RunOptions options;
      options.cancel = &canceller.flag;
      canceller.start(std::chrono::microseconds(random() % 20000));
      bool isQuick = i % 8 == 7;
      uint64_t hash = 0;
      Status status = isQuick ? models[1].run(*quick, 0, hash, options)
                              : models[0].run(*endless, 0, hash, options);
      own.push_back(canceller.finish());
      cancelled += status.code == TSSA_CANCELLED;
      wrong += !(status.code == TSSA_CANCELLED ||
                 (isQuick && status.ok() && hash == models[1].expected[0]));
    }
    std::lock_guard<std::mutex> lock(mutex);
    delays.insert(delays.end(), own.begin(), own.end());
  });
  std::sort(delays.begin(), delays.end());
  uint64_t hash = 0;
  Status status = models[1].run(*quick, 0, hash);
  findings.add("cancelled", double(cancelled));
  findings.add("p50_ms", delays[delays.size() / 2] * 1e3);
  findings.add("p99_ms", delays[delays.size() * 99 / 100] * 1e3);
  findings.add("longest_ms", delays.back() * 1e3);
  findings.expect("each call is cancelled or right", wrong == 0);
  findings.expect("nine in ten return within 100 ms", delays[delays.size() * 9 / 10] < 0.1);
  findings.expect("all return within 2 s", delays.back() < 2);
  findings.expect("the session is still right", status.ok() && hash == models[1].expected[0]);
  return findings.print();
}

//===----------------------------------------------------------------------===//
// Too little memory
//===----------------------------------------------------------------------===//

/// Runs `work` repeatedly and makes another of its allocations fail each time. Returns the number
/// of allocations; counts wrong outcomes in `wrong`.
static int64_t refuseEach(const std::function<Status()> &work, bool andAllLater, int64_t &wrong) {
  for (int64_t number = 0;; ++number) {
    refuseAllocation(number, andAllLater);
    Status status;
    try {
      status = work();
    } catch (const std::bad_alloc &) { // of this program's own vectors
      status.code = TSSA_OUT_OF_MEMORY;
    }
    refuseAllocation(-1, false);
    if (countRefused() == 0)
      return number;
    // The system's libraries may succeed without an allocation.
    bool isRight = status.ok() || status.code == TSSA_OUT_OF_MEMORY;
    if (!isRight)
      std::fprintf(stderr, "allocation %ld: %s\n", long(number), status.message.c_str());
    wrong += !isRight;
  }
}

bool soakMemory(std::vector<Model> &models, double) {
  Findings findings("memory");
  int64_t points = 0, wrong = 0, different = 0;
  Usage before{};
  for (int round = 0; round < 3; ++round) {
    if (round == 1) // the first one fills what libraries keep
      before = Usage::now();
    for (Model &model : models)
      for (bool andAllLater : {false, true}) {
        SessionOptions options;
        options.threads = 3;
        std::unique_ptr<Session> session;
        points += refuseEach(
            [&] {
              session.reset();
              return Session::load(model.path, options, session);
            },
            andAllLater, wrong);
        points += refuseEach([&] { return model.run(*session, 0); }, andAllLater, wrong);
        uint64_t hash = 0;
        different += !model.run(*session, 0, hash).ok() || hash != model.expected[0];
      }
  }
  Usage after = Usage::now();
  findings.add("points", double(points));
  findings.add("growth_kB", double(after.residentKilobytes - before.residentKilobytes));
  findings.expect("each ends in a status of its own", wrong == 0);
  findings.expect("at least 1000 points", points >= 1000);
  findings.expect("every session is still right", different == 0);
  findings.expect("memory is flat", after.residentKilobytes - before.residentKilobytes < 2048);
  findings.expect("no file is left open", after.files == before.files);
  findings.expect("no mapping is left", after.mappings <= before.mappings + 8);
  return findings.print();
}

//===----------------------------------------------------------------------===//
// Forks
//===----------------------------------------------------------------------===//

/// Checks, in the child of a fork, that the parent's session refuses to run and a new one runs.
static bool checkChild(std::vector<Model> &models, std::unique_ptr<Session> &session) {
  if (models[0].run(*session, 0).code != TSSA_INVALID_ARGUMENT)
    return false;
  session.reset();
  std::unique_ptr<Session> own = load(models[0], 3);
  uint64_t hash = 0;
  return models[0].run(*own, 0, hash).ok() && hash == models[0].expected[0];
}

bool soakFork(std::vector<Model> &models, double scale) {
  Findings findings("fork");
  std::unique_ptr<Session> session = load(models[0], 2);
  std::atomic<bool> stopping{false};
  std::atomic<int64_t> wrong{0};
  std::vector<std::thread> runners;
  for (int i = 0; i < 2; ++i)
    runners.emplace_back([&] {
      uint64_t hash = 0;
      while (!stopping)
        wrong += !models[0].run(*session, 0, hash).ok() || hash != models[0].expected[0];
    });
  int64_t failed = 0, forks = std::max<int64_t>(20, int64_t(200 * scale));
  for (int64_t i = 0; i < forks; ++i) {
    pid_t child = fork();
    if (child == 0) {
      alarm(30); // a child that hangs is ended
      _exit(checkChild(models, session) ? 0 : 1);
    }
    int status = -1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    failed += status != 0;
  }
  stopping = true;
  for (std::thread &runner : runners)
    runner.join();
  findings.add("forks", double(forks));
  findings.expect("every child is refused, then right", failed == 0);
  findings.expect("the parent is right", wrong == 0);
  return findings.print();
}

//===----------------------------------------------------------------------===//
// Signals
//===----------------------------------------------------------------------===//

static std::atomic<int64_t> signalsSeen{0};

/// Sends SIGALRM and SIGPROF to this process at this interval, without SA_RESTART.
static void setTimers(int microseconds) {
  struct sigaction action = {};
  action.sa_handler = [](int) { ++signalsSeen; };
  for (int signal : {SIGALRM, SIGPROF})
    sigaction(signal, &action, nullptr);
  itimerval timer = {{0, microseconds}, {0, microseconds}};
  setitimer(ITIMER_REAL, &timer, nullptr);
  setitimer(ITIMER_PROF, &timer, nullptr);
}

bool soakSignals(std::vector<Model> &models, double scale) {
  Findings findings("signals");
  int64_t wrong = 0, rounds = 0;
  std::string written = models[0].path + ".signals.npz";
  setTimers(1000);
  for (Clock::time_point start = Clock::now(); secondsSince(start) < 20 * scale; ++rounds)
    for (Model &model : models) {
      std::unique_ptr<Session> session = load(model, 3);
      for (size_t i = 0; i < model.inputs.size(); ++i) {
        uint64_t hash = 0;
        wrong += !model.run(*session, i, hash).ok() || hash != model.expected[i];
      }
      std::vector<NpzEntry> back;
      wrong += !writeNpz(written, model.inputs[0]).ok() || !readNpz(written, back).ok() ||
               back.size() != model.inputs[0].size();
    }
  setTimers(0);
  unlink(written.c_str());
  findings.add("rounds", double(rounds));
  findings.add("signals", double(signalsSeen));
  findings.expect("signals came", signalsSeen > 100);
  findings.expect("nothing is interrupted", wrong == 0);
  return findings.print();
}

} // namespace tssa::soak
