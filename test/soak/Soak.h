//===- Soak.h - common parts of the long tests of the runtime ------------===//
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

/// A program and the sets of arguments that it is run on.
struct Model {
  std::string path;
  std::vector<std::string> inputFiles;
  std::vector<std::vector<runtime::NpzEntry>> inputs; ///< of each file
  std::vector<uint64_t> expected;                     ///< hash of the results for each file

  /// Reads `inputFiles`.
  runtime::Status read();
  /// Runs the model on the arguments `number` and sets `hash` to the hash of the results.
  runtime::Status run(runtime::Session &session, size_t number, uint64_t &hash,
                      const runtime::RunOptions &options = {});
  runtime::Status run(runtime::Session &session, size_t number,
                      const runtime::RunOptions &options = {});
  /// Fills `expected` with the results of runs on one thread.
  runtime::Status learn();
};

/// Aborts the program with the message of `status` unless it is success.
void require(const runtime::Status &status, const std::string &what);
std::unique_ptr<runtime::Session> load(const Model &model, unsigned threads);

/// The resources that this process uses.
struct Usage {
  int64_t residentKilobytes, files, threads, mappings;
  static Usage now();
};

/// The findings of a test, printed as a line of JSON.
class Findings {
public:
  explicit Findings(std::string test);
  void add(const std::string &name, double value);
  /// Records a requirement. If `holds` is false, its name is printed.
  void expect(const std::string &name, bool holds);
  /// Prints the line. Returns true if all requirements hold.
  bool print();

private:
  std::string test, numbers, broken;
};

/// Runs `work(thread, goOn)` in `threads` threads. `goOn` returns true for `seconds` seconds.
void inParallel(int threads, double seconds,
                const std::function<void(int, const std::function<bool()> &)> &work);

/// Makes allocation `number` from now on fail and, with `andAllLater`, all later ones. A
/// negative number makes none fail.
void refuseAllocation(int64_t number, bool andAllLater);
/// Returns the number of allocations that failed since the last `refuseAllocation`.
int64_t countRefused();

/// Where aligned allocations of at least a page are placed.
enum class Placement {
  Heap,
  AmongPages,     ///< at the end of pages, next to readable pages
  AtStartOfPages, ///< at the start of pages, between unreadable pages
  AtEndOfPages    ///< at the end of pages, between unreadable pages
};
/// Places later allocations. At most 256 may be placed outside the heap, each with an alignment
/// of at most a page.
void placeAllocations(Placement where);

// The tests. With `scale` 1, each takes about a minute. They return false if a requirement
// does not hold.
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
