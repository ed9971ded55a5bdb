//===- Options.h - the command line of tssa-tune ----------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TOOLS_TSSA_TUNE_OPTIONS_H
#define TOOLS_TSSA_TUNE_OPTIONS_H

#include "tools/common/ExitCode.h"
#include "tools/common/PrecisionOption.h"
#include "tssa/Import/Options.h"
#include "tssa/Support/Progress.h"
#include "tssa/Tuner/TaskSearch.h"

#include <map>
#include <optional>
#include <string>

namespace tssa::tune {

struct Options {
  std::string program; ///< the path of this program, which its workers run
  std::string input;
  ImportOptions import;
  PrecisionOption precision;
  /// The sizes of open dims for which the model is tuned, by name.
  std::map<std::string, std::vector<int64_t>> sizes;
  /// The folder of the database and of the records.
  std::string folder;
  tuner::SearchOptions search;
  std::optional<uint64_t> trials; ///< of all kernels together
  std::optional<double> seconds;  ///< after which no round begins
  unsigned threads = 1;
  /// The share of the budget that a search of layouts and loops together gets. With 0, the layouts
  /// stay as the compiler chooses them.
  double joint = 0.5;
  bool choosesAsALT = false; ///< layouts by the rule of the paper
  bool goesOn = false;       ///< also with kernels that have a record
  /// The bytes of weights among which each kernel finds its own; by default those of the model.
  std::optional<uint64_t> rotatedBytes;
  bool judges = false;             ///< compares rankings instead of tuning
  std::optional<int64_t> replayed; ///< the session to replay
  std::string report;              ///< the file of the page of a session, or empty
  std::optional<int64_t> session;  ///< the session of the page; by default the last one
  std::string explained;           ///< the task to explain, or empty
  /// The folders to which records are written and from which they are read, or empty.
  std::string exported, imported;
  std::vector<std::string> workerCommands; ///< that start workers, perhaps elsewhere
  /// Serves as a worker.
  bool isWorker = false;
  bool isWatched = false; ///< whether the worker dies when its input ends
  uint64_t memoryLimit = uint64_t(8) << 30;
  std::string fault; ///< that candidates get, for tests
  /// How long building and running a candidate may take, in seconds.
  double buildLimit = 30, runLimit = 10;
  ProgressFunction progress; ///< is told what the tool does; may be empty

  void tell(const ProgressEvent &event) const {
    if (progress)
      progress(event);
  }
};

/// Reads the command line. Returns an exit code if the program is to end, after a message.
std::optional<int> parseOptions(int argc, char **argv, Options &options);

} // namespace tssa::tune

#endif // TOOLS_TSSA_TUNE_OPTIONS_H
