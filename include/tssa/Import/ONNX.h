//===- ONNX.h - ONNX models to te -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_IMPORT_ONNX_H
#define TSSA_IMPORT_ONNX_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "tssa/Builder/Builder.h"

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

/// Where a value of the main graph comes from.
struct ValueOrigin {
  std::string value;
  /// `produced by node #37 'layer1/conv2' (Conv)`.
  std::string producer;
  std::vector<std::string> inputs;
};

/// Where a model needs something: a node, or a tensor or value that no node has.
struct ModelPlace {
  /// `node #37 'layer1/conv2' (Conv)`, `tensor 'w'`, `input 'x'`.
  std::string text;
  /// Position in its graph or function; negative when it is no node.
  int64_t node = -1;
  /// Name and operator; empty when there are none.
  std::string name, op;
};

/// Something that a model needs and that is not supported.
struct UnsupportedUse {
  enum Kind { Operator, ElementType, Tensor, Node };
  Kind kind;
  /// `operator 'Frobnicate' of ai.onnx:21`, `element type complex64`; of a Node, what
  /// its builder says.
  std::string what;
  std::vector<ModelPlace> places;
};

struct ImportReport {
  /// Model: exit code 1, Unsupported: 3, Limit: 5.
  operators::Fault fault = operators::Fault::None;
  /// What is wrong, without the file's name; may have several lines.
  std::string error;
  /// All that is not supported, as `error` says it; empty for other faults.
  std::vector<UnsupportedUse> unsupported;
  std::vector<std::string> warnings;
  /// With `exposeValues`: the values that nodes make, in the order of the nodes.
  std::vector<ValueOrigin> origins;
};

/// Reads `path` and builds a module with one function `@main`. Null on failure; then
/// `report` says why: what is wrong with the model first and alone, else all that is not
/// supported. The module refers to bytes of the file without copying them: they
/// live as long as the context.
mlir::OwningOpRef<mlir::ModuleOp> importONNX(mlir::MLIRContext &context, llvm::StringRef path,
                                             const ImportOptions &options, ImportReport &report);

} // namespace tssa

#endif // TSSA_IMPORT_ONNX_H
