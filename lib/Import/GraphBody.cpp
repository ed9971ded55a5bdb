//===- GraphBody.cpp - a graph as the body of an operator -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Import/GraphBody.h"

using namespace llvm;
using namespace tssa::operators;
using tssa_onnx::NodeProto;
using tssa_onnx::TensorProto;

namespace tssa {

static const NodeProto *findProducer(const tssa_onnx::GraphProto &graph, const std::string &name) {
  for (const NodeProto &node : graph.node())
    if (is_contained(node.output(), name))
      return &node;
  return nullptr;
}

std::string GraphBody::findSource(unsigned i, const NodeProto *&producer) const {
  std::string name = graph.output(i).name();
  // No chain is longer than the nodes there are.
  for (int step = 0; step <= graph.node_size(); ++step) {
    producer = findProducer(graph, name);
    bool forwards = producer && producer->input_size() == 1 &&
                    (producer->op_type() == "Identity" || producer->op_type() == "Cast");
    if (!forwards)
      break;
    name = producer->input(0);
  }
  return name;
}

std::optional<unsigned> GraphBody::getForwardedInput(unsigned i) const {
  const NodeProto *producer = nullptr;
  std::string name = findSource(i, producer);
  for (const auto &[index, input] : enumerate(graph.input()))
    if (!producer && input.name() == name)
      return index;
  return std::nullopt;
}

/// Whether a tensor of one element is not 0.
static bool isTrue(const TensorProto &tensor) {
  if (tensor.has_raw_data())
    return any_of(tensor.raw_data(), [](char byte) { return byte != 0; });
  return (tensor.int32_data_size() == 1 && tensor.int32_data(0) != 0) ||
         (tensor.int64_data_size() == 1 && tensor.int64_data(0) != 0);
}

bool GraphBody::isAlwaysTrue(unsigned i) const {
  const NodeProto *producer = nullptr;
  std::string name = findSource(i, producer);
  if (producer)
    return producer->op_type() == "Constant" && producer->attribute_size() == 1 &&
           producer->attribute(0).has_t() && isTrue(producer->attribute(0).t());
  for (const TensorProto &tensor : graph.initializer())
    if (tensor.name() == name)
      return isTrue(tensor);
  GraphImporter::Entry *entry = scope.find(name);
  if (!entry || !entry->tensor || !entry->tensor.hasContents())
    return false;
  return all_of(entry->tensor.contents(), [](const Size &size) { return size.differs(0); });
}

mlir::FailureOr<Tensors> GraphBody::build(Builder &builder, ArrayRef<Tensor> inputs) {
  return importer.importBody(graph, scope, inputs);
}

} // namespace tssa
