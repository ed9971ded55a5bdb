//===- NodeNames.h - what nodes are called ----------------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_IMPORT_NODENAMES_H
#define TSSA_LIB_IMPORT_NODENAMES_H

#include "onnx/onnx_pb.h"

namespace tssa {

/// Returns the name of a node in locations: its own, or else its operator and its place in the
/// graph, such as `Conv_12`.
inline std::string getNodeName(const tssa_onnx::NodeProto &node, int index) {
  return node.name().empty() ? node.op_type() + "_" + std::to_string(index) : node.name();
}

} // namespace tssa

#endif // TSSA_LIB_IMPORT_NODENAMES_H
