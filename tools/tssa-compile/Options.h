//===- Options.h - the command line of tssa-compile ------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TOOLS_TSSA_COMPILE_OPTIONS_H
#define TOOLS_TSSA_COMPILE_OPTIONS_H

#include "tssa/Target/Target.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

#include <string>

namespace tssa::compile {

enum ExitCode {
  Success = 0,
  ModelError = 1,
  UsageError = 2,
  Unsupported = 3,
  Mismatch = 4,
  LimitReached = 5,
  InternalError = 70
};

enum class Emit { Module, Schedule, LLVM, PTX, Assembly, Object, SharedObject };

struct Options {
  std::string input;
  std::string output;
  std::vector<Target> targets;
  std::string mcpu;
  std::string lastStage;
  Emit emit;
  std::string schedule;
  std::string dumpDir;
  llvm::StringMap<int64_t> dims;
  llvm::StringMap<llvm::SmallVector<int64_t>> inputShapes;
  bool verifyEachStage = false;
  /// A fault to make on the way, for tests of the verification.
  std::string injectFault;
  /// False to keep each op a kernel of its own, for comparisons.
  bool merges = true;
  /// Look for the first node whose value is wrong; nothing is written.
  bool bisect = false;
  /// Of --bisect: npz files; empty for random inputs and for the evaluator.
  std::string inputs, reference;
  uint64_t seed = 1;
  double relativeTolerance = 1e-3, absoluteTolerance = 1e-5;
  bool sanitize = false;
  bool timing = false;
  bool untrusted = false;
  /// Read the model, say all that is not supported, and make nothing.
  bool check = false;
  /// The answer of `check` as JSON, on the standard output.
  bool json = false;
  /// Seconds after which to give up, and as they were written; 0 for none.
  double timeout = 0;
  std::string timeoutText;
  /// Bytes of memory that may be allocated; 0 for no limit.
  uint64_t memoryLimit = 0;
};

/// Parses the command line, and prints what is wrong with it or what it asks for.
/// Returns the exit code when there is nothing more to do, else none.
std::optional<int> parseOptions(int argc, char **argv, Options &options);

} // namespace tssa::compile

#endif // TOOLS_TSSA_COMPILE_OPTIONS_H
