//===- Soak.h - what the long tests of the runtime share -----------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_TEST_SOAK_SOAK_H
#define TSSA_TEST_SOAK_SOAK_H

#include "tssa/Runtime/Npz.h"
#include "tssa/Runtime/Session.h"

#include <chrono>
#include <functional>

namespace tssa::soak {

using Clock = std::chrono::steady_clock;

inline double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// A program and the arguments that it is run on, one after the other.
struct Model {
  std::string path;
  std::vector<std::string> inputFiles;
  std::vector<std::vector<runtime::NpzEntry>> inputs; ///< of each file
  std::vector<uint64_t> expected;                     ///< hash of the results for each

  /// Reads the arguments.
  runtime::Status read();
  /// What a run on arguments `number` gives.
  runtime::Status run(runtime::Session &session, size_t number, uint64_t &hash,
                      const runtime::RunOptions &options = {});
  runtime::Status run(runtime::Session &session, size_t number,
                      const runtime::RunOptions &options = {});
  /// Fills `expected` with one thread.
  runtime::Status learn();
};

/// Aborts the program with the message: for what must not fail.
void require(const runtime::Status &status, const std::string &what);
std::unique_ptr<runtime::Session> load(const Model &model, unsigned threads);

/// Of this process, now.
struct Usage {
  int64_t residentKilobytes, files, threads, mappings;
  static Usage now();
};

/// What a test found, printed as a line of JSON.
class Findings {
public:
  explicit Findings(std::string test);
  void add(const std::string &name, double value);
  /// Something that must hold; what does not is printed by its name.
  void expect(const std::string &name, bool holds);
  /// Prints the line; true when all that must hold did.
  bool print();

private:
  std::string test, numbers, broken;
};

/// Runs `work(thread, go on)` in several threads for so many seconds.
void inParallel(int threads, double seconds,
                const std::function<void(int, const std::function<bool()> &)> &work);

/// Allocations until one is refused, and whether those after it are; negative: none.
void refuseAllocation(int64_t number, bool andAllLater);
/// How many were refused since.
int64_t countRefused();

/// Where aligned allocations of a page and more go.
enum class Placement {
  Heap,
  AmongPages,     ///< at the end of pages, among others that can be read
  AtStartOfPages, ///< between pages that cannot be read, close to those before
  AtEndOfPages    ///< and close to those behind
};
/// At most 256 may be made outside of the heap, each with an alignment of at most a page.
void placeAllocations(Placement where);

// The tests. `scale` 1 is about a minute each. False when something did not hold.
bool soakSteady(std::vector<Model> &models, double scale);
bool soakOpenClose(std::vector<Model> &models, double scale);
bool soakCrowd(std::vector<Model> &models, double scale);
bool soakCancel(std::vector<Model> &models, double scale);
bool soakMemory(std::vector<Model> &models, double scale);
bool soakFork(std::vector<Model> &models, double scale);
bool soakLoop(std::vector<Model> &models, double scale);
bool soakLoad(std::vector<Model> &models, double scale);
bool soakPages(std::vector<Model> &models, double scale);
bool soakSignals(std::vector<Model> &models, double scale);

} // namespace tssa::soak

#endif // TSSA_TEST_SOAK_SOAK_H
