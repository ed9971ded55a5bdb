//===- Options.h - the command line of tssa-compile ------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TOOLS_TSSA_COMPILE_OPTIONS_H
#define TOOLS_TSSA_COMPILE_OPTIONS_H

#include "tools/common/ExitCode.h"
#include "tools/common/PrecisionOption.h"
#include "tssa/Import/Options.h"
#include "tssa/Support/Transforms.h"
#include "tssa/Target/CPU.h"
#include "tssa/Target/Target.h"

#include <string>

namespace tssa::compile {

enum class Emit {
  Machine,
  Annotated,
  Module,
  Partition,
  Schedule,
  LLVM,
  PTX,
  Assembly,
  Object,
  SharedObject
};

struct Options {
  std::string input;
  std::string output;
  /// The file that gets the names of the files that were read; empty for none.
  std::string depFile;
  std::vector<Target> targets;
  std::string mcpu; ///< one or more, with commas
  /// Whether other arithmetic computes what dot products do.
  bool emulatesAtoms = false;
  /// The file of the machine, instead of `mcpu`; empty for none.
  std::string machine;
  std::string lastStage;
  Emit emit;
  std::string schedule;
  /// Folder of records of a tuner; empty for none.
  std::string tuned;
  unsigned point = 0;
  std::string dumpDir;
  /// Folder in which the code of kernels is kept; empty for none.
  std::string cacheDir;
  /// What fixes the sizes and inputs of the model.
  ImportOptions import;
  bool verifyEachStage = false;
  /// A fault to inject, for tests of the verification.
  std::string injectFault;
  /// Whether expressions are merged into one kernel. False serves for comparisons.
  bool merges = true;
  /// Transformations that happen wherever they are legal, or never.
  Transforms transforms;
  /// What the factors of contractions are rounded to.
  PrecisionOption precision;
  /// Whether to find the first node whose value is wrong, and to write no artifact.
  bool bisect = false;
  /// For --bisect: npz files of inputs and expected values. If they are empty, inputs are
  /// random and the expected values come from the evaluator.
  std::string inputs, reference;
  uint64_t seed = 1;
  double relativeTolerance = 1e-3, absoluteTolerance = 1e-5;
  bool sanitize = false;
  /// Whether to print each step with its seconds.
  bool verbose = false;
  /// The descriptor that gets each step and kernel as a line of JSON; none if negative.
  int progressFile = -1;
  /// Whether to print what each launch of the first target's program does, and to write no
  /// artifact.
  bool explain = false;
  /// The file of measured times of launches, for what describes launches; empty for none.
  std::string times;
  /// A regular expression for the names of the passes whose remarks are printed; nothing if no
  /// remarks are printed.
  std::optional<std::string> remarks;
  bool untrusted = false;
  /// Whether to import the model, to report all unsupported features that it uses, and to write no
  /// artifact.
  bool check = false;
  /// Whether `check` or `explain` prints JSON.
  bool json = false;
  /// The time limit in seconds, 0 for none, and its text on the command line.
  double timeout = 0;
  std::string timeoutText;
  /// The number of threads that compile; 0 for one on each CPU.
  unsigned threads = 0;
  /// The number of bytes that may be allocated; 0 for no limit.
  uint64_t memoryLimit = 0;
};

/// Parses the command line. Prints an error, or the information that the command line requests,
/// such as the version. If there is nothing more to do, returns the exit code; otherwise nothing.
std::optional<int> parseOptions(int argc, char **argv, Options &options);

} // namespace tssa::compile

#endif // TOOLS_TSSA_COMPILE_OPTIONS_H
