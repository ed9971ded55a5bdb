//===- OptionTable.h - the options of tssa-compile
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TOOLS_TSSA_COMPILE_OPTIONTABLE_H
#define TOOLS_TSSA_COMPILE_OPTIONTABLE_H

#include "tools/common/CommandLine.h"
#include "tools/common/ModelSizes.h"

namespace tssa::compile {

/// The options of the tool, and what the arguments give for them.
struct CommandLine : tools::CommandLine {
  CommandLine();

  std::string input;
  std::string output;
  std::string depFile;
  std::string target = "cpu";
  std::string mcpu = "native";
  std::string machine;
  std::string atom = "native";
  ModelSizes sizes;
  std::vector<std::string> operators;
  std::string lastStage;
  std::string emit = "so";
  std::string precision = "f32";
  unsigned point = 0;
  std::string schedule;
  std::string tuned;
  std::string dumpDir;
  std::string cacheDir;
  bool verify = false;
  std::string injectFault;
  bool noMerge = false;
  std::vector<std::string> force;
  std::vector<std::string> without;
  bool bisect = false;
  std::string inputs;
  std::string reference;
  uint64_t seed = 1;
  double rtol = 1e-3;
  double atol = 1e-5;
  std::string sanitize;
  bool listOperators = false;
  bool explain = false;
  bool printPartition = false;
  std::string annotate;
  std::string times;
  bool verbose = false;
  std::string progressFile;
  std::string remarks;
  bool untrusted = false;
  bool check = false;
  bool json = false;
  std::string timeout;
  std::string threads;
  std::string memoryLimit;

private:
  void addOutput();
  void addKernels();
  void addChecks();
  void addReports();
  void addLimits();
};

} // namespace tssa::compile

#endif // TOOLS_TSSA_COMPILE_OPTIONTABLE_H
