//===- Report.h - what an import says of a model -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_IMPORT_REPORT_H
#define TSSA_IMPORT_REPORT_H

#include "tssa/Builder/Builder.h"

namespace tssa {

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

} // namespace tssa

#endif // TSSA_IMPORT_REPORT_H
