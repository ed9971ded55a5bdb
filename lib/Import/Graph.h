//===- Graph.h - names and order in a graph -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_IMPORT_GRAPH_H
#define TSSA_LIB_IMPORT_GRAPH_H

#include "lib/Import/Failure.h"
#include "onnx/onnx_pb.h"
#include "llvm/ADT/StringSet.h"

namespace tssa {

using NodeList = google::protobuf::RepeatedPtrField<tssa_onnx::NodeProto>;

/// Returns a text such as `node #37 'layer1/conv2' (Conv, ai.onnx:22)`.
std::string describe(const tssa_onnx::NodeProto &node, int index, int64_t version);
/// Returns the same text without the version.
std::string describe(const tssa_onnx::NodeProto &node, int index);

/// Returns a text such as `operator 'Conv' of ai.onnx:22`, followed by the operator's hint, if
/// there is one.
std::string describeOperator(const tssa_onnx::NodeProto &node, int64_t version);

/// Returns `domain`, but "" for "ai.onnx", because both are names of the standard domain.
llvm::StringRef normalizeDomain(llvm::StringRef domain);

/// Returns the name of a dim, or "". Some exporters use one name for all sizes that they do not
/// know; for such a name this returns "", because these sizes need not be equal.
llvm::StringRef getDimName(const tssa_onnx::TensorShapeProto::Dimension &dim);

/// Calls `visit` for every graph among the attributes of a node.
void forEachSubgraph(const tssa_onnx::NodeProto &node,
                     llvm::function_ref<void(const tssa_onnx::GraphProto &)> visit);

llvm::SmallVector<llvm::StringRef> getOutputNames(const tssa_onnx::GraphProto &graph);

/// Returns the names that `nodes` and their bodies use, and `outputs`.
llvm::StringSet<> collectReadNames(const NodeList &nodes, llvm::ArrayRef<llvm::StringRef> outputs);

/// Returns the indexes of the nodes in an order in which each value is produced before it is
/// used. If the order of the file has this property, it is kept. `definedNames` are the inputs and
/// initializers of this graph; `isDefined` is true for these and for the names of the enclosing
/// graphs. Fails on a cycle, a name that is produced twice, and a name that is not produced.
mlir::FailureOr<std::vector<int>> orderNodes(const NodeList &nodes,
                                             llvm::function_ref<bool(llvm::StringRef)> isDefined,
                                             llvm::ArrayRef<llvm::StringRef> definedNames,
                                             ImportReport &report);

} // namespace tssa

#endif // TSSA_LIB_IMPORT_GRAPH_H
