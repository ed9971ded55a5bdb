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

GraphBody::GraphBody(GraphImporter &importer, const tssa_onnx::GraphProto &graph,
                     GraphImporter::Scope &scope)
    : importer(importer), graph(graph), scope(scope) {
  for (const NodeProto &node : graph.node())
    for (const std::string &output : node.output())
      producers.try_emplace(output, &node);
}

std::string GraphBody::findSource(unsigned i, const NodeProto *&producer) const {
  std::string name = graph.output(i).name();
  // No chain is longer than the number of nodes.
  for (int step = 0; step <= graph.node_size(); ++step) {
    producer = producers.lookup(name);
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

/// Returns whether `tensor` has one element, which is 1 and has type bool, i32 or i64. A cast of 1
/// to any type is true. Some other values are true but become 0 when they are cast: 256 as a u8,
/// and 0.5 as an integer.
static bool isOne(const TensorProto &tensor) {
  if (!is_contained({TensorProto::BOOL, TensorProto::INT32, TensorProto::INT64},
                    tensor.data_type()))
    return false;
  StringRef raw = tensor.raw_data();
  if (!raw.empty())
    return raw.size() <= 8 && raw.front() == 1 &&
           all_of(raw.drop_front(), [](char byte) { return byte == 0; });
  return (tensor.int32_data_size() == 1 && tensor.int32_data(0) == 1) ||
         (tensor.int64_data_size() == 1 && tensor.int64_data(0) == 1);
}

bool GraphBody::isAlwaysTrue(unsigned i) const {
  const NodeProto *producer = nullptr;
  std::string name = findSource(i, producer);
  if (producer)
    return producer->op_type() == "Constant" && producer->attribute_size() == 1 &&
           producer->attribute(0).has_t() && isOne(producer->attribute(0).t());
  for (const TensorProto &tensor : graph.initializer())
    if (tensor.name() == name)
      return isOne(tensor);
  GraphImporter::Entry *entry = scope.find(name);
  if (!entry || !entry->tensor || !entry->tensor.hasContents())
    return false;
  return all_of(entry->tensor.contents(), [](const Size &size) { return size.isConstant(1); });
}

mlir::FailureOr<Tensors> GraphBody::build(Builder &builder, ArrayRef<Tensor> inputs) {
  return importer.importBody(graph, scope, inputs);
}

} // namespace tssa
