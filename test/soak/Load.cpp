//===- Load.cpp - steady load, opening and closing, a crowd, long loops --===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Soak.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

using namespace tssa::runtime;

namespace tssa::soak {

/// Runs a model on its sets of arguments in turn. Counts the runs and the wrong results.
struct Turns {
  std::atomic<int64_t> runs{0}, different{0};

  void take(std::vector<Model> &models, std::vector<std::unique_ptr<Session>> &sessions,
            int64_t turn) {
    size_t m = size_t(turn) % models.size();
    size_t number = size_t(turn) / models.size() % models[m].inputs.size();
    uint64_t hash = 0;
    Status status = models[m].run(*sessions[m], number, hash);
    ++runs;
    different += !status.ok() || hash != models[m].expected[number];
  }
};

/// Returns the usage once no more than `threads` threads are left, or after a second: the kernel
/// counts a thread for a moment after it was joined.
static Usage settle(int64_t threads) {
  Clock::time_point start = Clock::now();
  Usage usage = Usage::now();
  while (usage.threads > threads && secondsSince(start) < 1) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    usage = Usage::now();
  }
  return usage;
}

bool soakSteady(std::vector<Model> &models, double scale) {
  Findings findings("steady");
  std::vector<std::unique_ptr<Session>> sessions;
  for (Model &model : models)
    sessions.push_back(load(model, 2));
  Turns turns;
  auto work = [&](int thread, const std::function<bool()> &goOn) {
    for (int64_t turn = thread; goOn(); ++turn)
      turns.take(models, sessions, turn);
  };
  inParallel(2, 20 * scale, work);
  Usage before = Usage::now();
  double seconds = 60 * scale;
  inParallel(2, seconds, work);
  Usage after = settle(before.threads);
  double growth = double(after.residentKilobytes - before.residentKilobytes);
  findings.add("runs", double(turns.runs));
  findings.add("resident_kB", double(after.residentKilobytes));
  findings.add("growth_kB", growth);
  findings.expect("every result as at first", turns.different == 0);
  // Stacks, arenas and results that are kept for the next run come and go: up to 2.7 MB were seen. A
  // leak of 64 bytes in each of the runs of six seconds would be larger.
  findings.expect("memory is flat", growth < 4096 + 64 * seconds / 60);
  findings.expect("no file is left open", after.files == before.files);
  findings.expect("no thread is left", after.threads <= before.threads);
  return findings.print();
}

bool soakOpenClose(std::vector<Model> &models, double scale) {
  Findings findings("open-close");
  int64_t wrong = 0, opened = 0;
  auto openAll = [&] {
    for (Model &model : models) {
      std::unique_ptr<Session> session = load(model, 2);
      uint64_t hash = 0;
      wrong += !model.run(*session, 0, hash).ok() || hash != model.expected[0];
      ++opened;
    }
  };
  for (int i = 0; i < 20; ++i)
    openAll();
  Usage before = Usage::now();
  for (Clock::time_point start = Clock::now(); secondsSince(start) < 60 * scale;)
    openAll();
  Usage after = settle(before.threads);
  findings.add("opened", double(opened));
  findings.add("growth_kB", double(after.residentKilobytes - before.residentKilobytes));
  findings.expect("every result as at first", wrong == 0);
  findings.expect("memory is flat", after.residentKilobytes - before.residentKilobytes < 2048);
  findings.expect("no file is left open", after.files == before.files);
  findings.expect("no mapping is left", after.mappings <= before.mappings + 4);
  findings.expect("no thread is left", after.threads <= before.threads);
  return findings.print();
}

/// Returns the latencies in seconds of runs of a model by `threads` threads.
static std::vector<double> measure(Model &model, Session &session, int threads, double seconds,
                                   std::atomic<int64_t> &wrong) {
  std::vector<double> latencies;
  std::mutex mutex;
  inParallel(threads, seconds, [&](int, const std::function<bool()> &goOn) {
    std::vector<double> own;
    while (goOn()) {
      Clock::time_point start = Clock::now();
      uint64_t hash = 0;
      wrong += !model.run(session, 0, hash).ok() || hash != model.expected[0];
      own.push_back(secondsSince(start));
    }
    std::lock_guard<std::mutex> lock(mutex);
    latencies.insert(latencies.end(), own.begin(), own.end());
  });
  std::sort(latencies.begin(), latencies.end());
  return latencies;
}

bool soakCrowd(std::vector<Model> &models, double scale) {
  Findings findings("crowd");
  std::atomic<int64_t> wrong{0};
  std::unique_ptr<Session> session = load(models[0], 2);
  double seconds = 30 * scale;
  std::vector<double> two = measure(models[0], *session, 2, seconds, wrong);
  std::vector<double> many = measure(models[0], *session, 32, seconds, wrong);
  double ratio = double(many.size()) / double(std::max<size_t>(two.size(), 1));
  findings.add("runs_2_threads", double(two.size()));
  findings.add("runs_32_threads", double(many.size()));
  findings.add("throughput_ratio", ratio);
  findings.add("p99_ms", many[many.size() * 99 / 100] * 1e3);
  findings.add("longest_ms", many.back() * 1e3);
  findings.expect("every result as at first", wrong == 0);
  findings.expect("no run hangs", many.back() < 15);
  findings.expect("throughput is kept", ratio > 0.5);
  return findings.print();
}

bool soakLoop(std::vector<Model> &models, double) {
  Findings findings("loop");
  std::unique_ptr<Session> session = load(models[0], 2);
  require(models[0].run(*session, 0), models[0].path); // a short loop
  Usage before = Usage::now();
  Clock::time_point start = Clock::now();
  require(models[0].run(*session, 1), models[0].path); // the long one
  Usage after = settle(before.threads);
  findings.add("seconds", secondsSince(start));
  findings.add("growth_kB", double(after.residentKilobytes - before.residentKilobytes));
  findings.expect("memory is flat", after.residentKilobytes - before.residentKilobytes < 1024);
  return findings.print();
}

/// Loads a model of large weights, runs it, and returns the seconds of loading.
static double loadLarge(Model &model, VerifyWeights verify, Findings &findings) {
  Usage before = Usage::now();
  Clock::time_point start = Clock::now();
  SessionOptions options;
  options.threads = 2;
  options.verifyWeights = verify;
  std::unique_ptr<Session> session;
  require(Session::load(model.path, options, session), model.path);
  double seconds = secondsSince(start);
  require(model.run(*session, 0), model.path);
  Usage after = settle(before.threads);
  findings.expect("only touched weights are in memory",
                  after.residentKilobytes - before.residentKilobytes < 64 << 10);
  return seconds;
}

bool soakLoad(std::vector<Model> &models, double) {
  Findings findings("load");
  double unchecked = loadLarge(models[0], VerifyWeights::Never, findings);
  findings.add("load_ms", unchecked * 1e3);
  findings.add("checked_load_ms", loadLarge(models[0], VerifyWeights::Always, findings) * 1e3);
  findings.expect("loads in 100 ms", unchecked < 0.1);
  return findings.print();
}

} // namespace tssa::soak
