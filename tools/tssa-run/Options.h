//===- Options.h - the command line of tssa-run --------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_TOOLS_TSSA_RUN_OPTIONS_H
#define TSSA_TOOLS_TSSA_RUN_OPTIONS_H

#include "Bench.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tssa::run {

/// The exit codes of tssa-run, a subset of those of tssa-compile.
enum ExitCode {
  Success = 0,
  ModelError = 1,
  UsageError = 2,
  Mismatch = 4,
  LimitReached = 5,
  InternalError = 70
};

struct Options {
  std::string model;
  std::optional<std::string> inputs, outputs, expect, reference, trace, report;
  std::optional<uint64_t> inputSeed;  ///< of random inputs
  std::optional<uint64_t> randomSeed; ///< of the program's random numbers
  double rtol = 1e-3, atol = 1e-5;
  std::map<std::string, int64_t> dims;
  unsigned threads = 0;
  bool pin = false;
  bool bench = false, json = false, inspect = false, profile = false;
  bool bisect = false;
  std::optional<uint64_t> runs, warmUps;
  std::optional<Clock> clock;
  double timeoutSeconds = 0;
  uint64_t memoryLimit = 0;
  std::string device = "auto";
  bool verifyWeights = false, noVerify = false;
  std::optional<std::string> cacheDir;
  uint64_t cacheLimit = uint64_t(8) << 30; ///< bytes
  bool compileOnly = false;
  std::optional<uint64_t> progressFile; ///< the descriptor of --progress-fd of the compiler
  std::vector<std::string> compileOptions;
};

/// Fills `options` from the arguments of main. If there is nothing more to do, after an error or
/// --help, returns the exit code.
std::optional<int> parseOptions(int argc, const char *const *argv, Options &options);

} // namespace tssa::run

#endif // TSSA_TOOLS_TSSA_RUN_OPTIONS_H
