//===- Report.h - the result of an import besides the module -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_IMPORT_REPORT_H
#define TSSA_IMPORT_REPORT_H

#include "tssa/Builder/Builder.h"

namespace tssa {

/// The origin of a value of the main graph.
struct ValueOrigin {
  std::string value;
  /// A text such as `produced by node #37 'layer1/conv2' (Conv)`.
  std::string producer;
  std::vector<std::string> inputs;
};

/// A location in a model: a node, or a tensor, input or output outside of any node.
struct ModelLocation {
  /// `node #37 'layer1/conv2' (Conv)`, `tensor 'w'` or `input 'x'`.
  std::string text;
  /// The index of the node in its graph or function; negative if the location is not a node.
  int64_t node = -1;
  /// The node's name and operator; empty if the node has no name or the location is not a node.
  std::string name, op;
};

/// A feature that a model uses and that is not supported.
struct UnsupportedUse {
  enum Kind { Operator, ElementType, Tensor, Node };
  Kind kind;
  /// Such as `operator 'Frobnicate' of ai.onnx:21` or `element type complex64`. For kind
  /// Node, the error text of the function that builds the operator.
  std::string what;
  std::vector<ModelLocation> locations;
};

struct ImportReport {
  /// The kind of the error. It determines the exit code: 1 for Model, 3 for Unsupported, 5 for
  /// Limit.
  operators::Fault fault = operators::Fault::None;
  /// The error text, without the file's name; it may have several lines.
  std::string error;
  /// If `fault` is Unsupported, every use that `error` lists; else empty.
  std::vector<UnsupportedUse> unsupported;
  std::vector<std::string> warnings;
  /// With `exposeValues`: the values that nodes produce, in the order of the nodes.
  std::vector<ValueOrigin> origins;
  /// The files that were read beside the model, such as those of its weights, in the order in which
  /// they were opened.
  std::vector<std::string> files;
};

} // namespace tssa

#endif // TSSA_IMPORT_REPORT_H
