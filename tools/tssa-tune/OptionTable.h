//===- OptionTable.h - the options of tssa-tune
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TOOLS_TSSA_TUNE_OPTIONTABLE_H
#define TOOLS_TSSA_TUNE_OPTIONTABLE_H

#include "tools/common/CommandLine.h"
#include "tools/common/ModelSizes.h"

namespace tssa::tune {

/// The options of the tool, and what the arguments give for them.
struct CommandLine : tools::CommandLine {
  CommandLine();

  std::string input;
  std::string folder;
  std::string trials;
  std::string time;
  std::string threads = "1";
  std::string seed = "1";
  std::string sampler = "evolution";
  std::string ranking = "model";
  bool judge = false;
  std::string cache = "model";
  bool loopsOnly = false;
  std::string joint;
  std::string graph = "pbqp";
  bool goesOn = false;
  std::string replay;
  std::string report;
  std::string session;
  std::string explained;
  std::string exported;
  std::string imported;
  ModelSizes sizes;
  std::string precision = "f32";
  std::vector<std::string> operators;
  std::vector<std::string> tunedSizes;
  std::vector<std::string> workerCommands;
  bool untrusted = false;
  bool worker = false;
  bool watched = false;
  uint64_t memoryLimit = uint64_t(8) << 30;
  double buildLimit = 30;
  double runLimit = 10;
  std::string fault;

private:
  void addSearch();
  void addActions();
  void addWorker();
};

} // namespace tssa::tune

#endif // TOOLS_TSSA_TUNE_OPTIONTABLE_H
