//===- Soak.cpp - models, measures and findings --------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Soak.h"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
#include <unistd.h>

using namespace tssa::runtime;

namespace tssa::soak {

void require(const Status &status, const std::string &what) {
  if (status.ok())
    return;
  std::fprintf(stderr, "tssa-soak: %s: %s\n", what.c_str(), status.message.c_str());
  std::exit(1);
}

std::unique_ptr<Session> load(const Model &model, unsigned threads) {
  SessionOptions options;
  options.threads = threads;
  std::unique_ptr<Session> session;
  require(Session::load(model.path, options, session), model.path);
  return session;
}

/// Adds bytes to an FNV-1a hash.
static void mix(uint64_t &hash, const void *data, size_t size) {
  for (size_t i = 0; i < size; ++i)
    hash = (hash ^ static_cast<const unsigned char *>(data)[i]) * 0x100000001b3;
}

Status Model::read() {
  inputs.resize(inputFiles.size());
  for (size_t i = 0; i < inputFiles.size(); ++i)
    if (Status status = readNpz(inputFiles[i], inputs[i]); !status.ok())
      return status;
  return Status::success();
}

Status Model::run(Session &session, size_t number, uint64_t &hash, const RunOptions &options) {
  std::vector<NamedTensor> arguments;
  for (NpzEntry &entry : inputs[number]) {
    arguments.push_back({entry.name, {}});
    tssa_tensor &tensor = arguments.back().tensor;
    tensor = entry.tensor.asABI();
  }
  std::vector<Tensor> results;
  if (Status status = session.run(arguments, {}, options, results); !status.ok())
    return status;
  hash = 0xcbf29ce484222325;
  for (const Tensor &result : results) {
    mix(hash, result.shape.data(), result.shape.size() * sizeof(int64_t));
    mix(hash, result.data, size_t(result.getByteSize()));
  }
  return Status::success();
}

Status Model::run(Session &session, size_t number, const RunOptions &options) {
  uint64_t hash;
  return run(session, number, hash, options);
}

Status Model::learn() {
  std::unique_ptr<Session> session = load(*this, 1);
  expected.resize(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i)
    if (Status status = run(*session, i, expected[i]); !status.ok())
      return status;
  return Status::success();
}

static int64_t countEntries(const char *folder) {
  int64_t count = 0;
  for (const std::filesystem::directory_entry &entry : std::filesystem::directory_iterator(folder))
    count += !entry.path().empty();
  return count;
}

static int64_t countLines(const char *path) {
  std::ifstream file(path);
  int64_t count = 0;
  for (std::string line; std::getline(file, line);)
    ++count;
  return count;
}

Usage Usage::now() {
  std::ifstream statm("/proc/self/statm");
  int64_t pages = 0, resident = 0;
  statm >> pages >> resident;
  return {resident * sysconf(_SC_PAGESIZE) / 1024, countEntries("/proc/self/fd"),
          countEntries("/proc/self/task"), countLines("/proc/self/maps")};
}

Findings::Findings(std::string test) : test(std::move(test)) {}

void Findings::add(const std::string &name, double value) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.6g", value);
  numbers += ", \"" + name + "\": " + text;
}

void Findings::expect(const std::string &name, bool holds) {
  if (!holds)
    broken += (broken.empty() ? "" : "; ") + name;
}

bool Findings::print() {
  std::printf("{\"test\": \"%s\", \"ok\": %s%s", test.c_str(), broken.empty() ? "true" : "false",
              numbers.c_str());
  if (!broken.empty())
    std::printf(", \"broken\": \"%s\"", broken.c_str());
  std::printf("}\n");
  std::fflush(stdout);
  return broken.empty();
}

void inParallel(int threads, double seconds,
                const std::function<void(int, const std::function<bool()> &)> &work) {
  Clock::time_point start = Clock::now();
  std::function<bool()> goOn = [&] { return secondsSince(start) < seconds; };
  std::vector<std::thread> list;
  for (int i = 0; i < threads; ++i)
    list.emplace_back([&, i] { work(i, goOn); });
  for (std::thread &thread : list)
    thread.join();
}

} // namespace tssa::soak
