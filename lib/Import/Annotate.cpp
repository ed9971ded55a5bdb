//===- Annotate.cpp - an ONNX model with notes ----------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Import/Annotate.h"
#include "lib/Import/ModelFile.h"
#include "lib/Import/NodeNames.h"
#include "llvm/ADT/STLExtras.h"

namespace tssa {

/// Sets a note of a node, in place of one with the same key.
static void setNote(tssa_onnx::NodeProto &node, const std::string &key, const std::string &value) {
  for (tssa_onnx::StringStringEntryProto &entry : *node.mutable_metadata_props())
    if (entry.key() == key) {
      entry.set_value(value);
      return;
    }
  tssa_onnx::StringStringEntryProto *entry = node.add_metadata_props();
  entry->set_key(key);
  entry->set_value(value);
}

static bool hasFiles(const tssa_onnx::GraphProto &graph);

static bool hasFiles(const tssa_onnx::AttributeProto &attribute) {
  auto isFile = [](const tssa_onnx::TensorProto &tensor) {
    return tensor.data_location() == tssa_onnx::TensorProto::EXTERNAL;
  };
  return isFile(attribute.t()) || llvm::any_of(attribute.tensors(), isFile) ||
         (attribute.has_g() && hasFiles(attribute.g())) ||
         llvm::any_of(attribute.graphs(), [](const auto &graph) { return hasFiles(graph); });
}

/// Returns whether a graph, or one in it, has weights in files.
static bool hasFiles(const tssa_onnx::GraphProto &graph) {
  return llvm::any_of(graph.initializer(),
                      [](const auto &tensor) {
                        return tensor.data_location() == tssa_onnx::TensorProto::EXTERNAL;
                      }) ||
         llvm::any_of(graph.node(), [](const tssa_onnx::NodeProto &node) {
           return llvm::any_of(node.attribute(),
                               [](const auto &attribute) { return hasFiles(attribute); });
         });
}

llvm::Expected<AnnotatedModel> annotateONNX(llvm::StringRef path,
                                            llvm::function_ref<Notes(llvm::StringRef)> getNotes) {
  ImportReport report;
  std::shared_ptr<tssa_onnx::ModelProto> model = readModel(path, report);
  if (!model)
    return llvm::createStringError(report.error);
  tssa_onnx::GraphProto &graph = *model->mutable_graph();
  for (int i = 0; i < graph.node_size(); ++i)
    for (const auto &[key, value] : getNotes(getNodeName(graph.node(i), i)))
      setNote(*graph.mutable_node(i), key, value);
  AnnotatedModel annotated;
  annotated.hasFiles = hasFiles(graph);
  if (!model->SerializeToString(&annotated.bytes))
    return llvm::createStringError("the model with notes has more than 2 GB");
  return annotated;
}

} // namespace tssa
