//===- LaunchTimes.h - measured times of launches ---------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TOOLS_TSSA_COMPILE_LAUNCHTIMES_H
#define TOOLS_TSSA_COMPILE_LAUNCHTIMES_H

#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace tssa::compile {

/// The time that a launch of a program takes in one run.
struct LaunchTime {
  std::string kernel;
  double ms = 0;
};

/// Reads the file that `tssa-run MODEL --profile --json` prints: for each launch of the program, in
/// its order. Fails with a sentence.
llvm::Expected<std::vector<LaunchTime>> readLaunchTimes(llvm::StringRef path);

} // namespace tssa::compile

#endif // TOOLS_TSSA_COMPILE_LAUNCHTIMES_H
