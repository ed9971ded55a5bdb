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

namespace tssa {

using NodeList = google::protobuf::RepeatedPtrField<tssa_onnx::NodeProto>;

/// `node #37 'layer1/conv2' (Conv, ai.onnx:22)`.
std::string describe(const tssa_onnx::NodeProto &node, int index, int64_t version);
/// The same without a version.
std::string describe(const tssa_onnx::NodeProto &node, int index);

/// `operator 'Conv' of ai.onnx:22`, and what to do instead where that is known.
std::string describeOperator(const tssa_onnx::NodeProto &node, int64_t version);

/// "ai.onnx" is another name of the standard domain "".
llvm::StringRef normalizeDomain(llvm::StringRef domain);

/// Calls `visit` for every graph among the attributes of a node.
void forEachSubgraph(const tssa_onnx::NodeProto &node,
                     llvm::function_ref<void(const tssa_onnx::GraphProto &)> visit);

llvm::SmallVector<llvm::StringRef> getOutputNames(const tssa_onnx::GraphProto &graph);

/// Positions of the nodes such that each value is made before it is used; the order of
/// the file where it is right. `definedNames` are the inputs and initializers of this
/// graph; `isDefined` also knows those of the graphs around it. Fails on a cycle, a name
/// made twice and a name that nothing makes.
mlir::FailureOr<std::vector<int>> orderNodes(const NodeList &nodes,
                                             llvm::function_ref<bool(llvm::StringRef)> isDefined,
                                             llvm::ArrayRef<llvm::StringRef> definedNames,
                                             ImportReport &report);

} // namespace tssa

#endif // TSSA_LIB_IMPORT_GRAPH_H
