//===- Options.h - what an import of an ONNX model is asked to do -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_IMPORT_OPTIONS_H
#define TSSA_IMPORT_OPTIONS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

namespace tssa {

struct ImportOptions {
  /// Sizes of named dims: `--dim NAME=N`.
  llvm::StringMap<int64_t> dims;
  /// Shapes of inputs: `--input-shape NAME=1x3x224x224`.
  llvm::StringMap<llvm::SmallVector<int64_t>> inputShapes;
  /// Refuse what a hostile file could use: see the limits in lib/Import/Limits.h.
  bool untrusted = false;
  /// Every tensor that a node of the main graph makes becomes an output.
  bool exposeValues = false;
};

} // namespace tssa

#endif // TSSA_IMPORT_OPTIONS_H
