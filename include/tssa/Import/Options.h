//===- Options.h - options of the import of an ONNX model -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_IMPORT_OPTIONS_H
#define TSSA_IMPORT_OPTIONS_H

#include "mlir/IR/BuiltinOps.h"
#include "tssa/Import/ForeignObject.h"
#include "llvm/ADT/StringMap.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tssa {

/// What is given for a dim of an input: a size, a name, or neither, which leaves it as it is.
struct GivenDim {
  std::optional<int64_t> size;
  std::string name;
};

struct ImportOptions {
  /// The sizes given for named dims with `--dim NAME=N`.
  llvm::StringMap<int64_t> dims;
  /// The shapes given for inputs with `--input-shape NAME=1x3x224x224` or
  /// `NAME=[N,3,?,?]`.
  llvm::StringMap<std::vector<GivenDim>> inputShapes;
  /// The values given for inputs with `--const NAME=VALUE`, which makes them constants.
  std::map<std::string, std::string> constants;
  /// The files of operators that the user defines (lib/Import/UserOperators.h), and the module that
  /// has them all.
  std::vector<std::string> operatorFiles;
  mlir::ModuleOp operators;
  /// The objects with the routines that these operators may call.
  std::vector<ForeignObject> foreignObjects;
  /// Enforces the limits in lib/Import/Limits.h, which protect against hostile files.
  bool untrusted = false;
  /// Adds to the outputs every tensor that a node of the main graph produces.
  bool exposeValues = false;
};

} // namespace tssa

#endif // TSSA_IMPORT_OPTIONS_H
