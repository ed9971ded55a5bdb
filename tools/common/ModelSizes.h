//===- ModelSizes.h - sizes of a model from the command line ----*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TOOLS_COMMON_MODELSIZES_H
#define TOOLS_COMMON_MODELSIZES_H

#include "tssa/Import/Options.h"
#include "llvm/ADT/ArrayRef.h"

namespace tssa {
/// The options of a command line that fix what a model leaves open.
struct ModelSizes {
  /// Values of `--dim`, NAME=N.
  std::vector<std::string> dims;
  /// Values of `--input-shape`, NAME=1x3x224x224 or NAME=[N,3,?,?].
  std::vector<std::string> shapes;
  /// Values of `--const`, NAME=VALUE.
  std::vector<std::string> constants;
};

/// Reads `sizes` into `options`. Returns what is wrong with one of them, or an empty string.
std::string readModelSizes(const ModelSizes &sizes, ImportOptions &options);

} // namespace tssa

#endif // TOOLS_COMMON_MODELSIZES_H
