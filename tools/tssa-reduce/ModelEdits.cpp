//===- ModelEdits.cpp - smaller models from a model -------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelEdits.h"
#include "onnx/checker.h"
#include "onnx/shape_inference/implementation.h"
#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace tssa::reduce;
using tssa_onnx::GraphProto;
using tssa_onnx::NodeProto;
using tssa_onnx::TensorProto;
using tssa_onnx::TypeProto;
using tssa_onnx::ValueInfoProto;

namespace {
using Names = std::set<std::string>;
}

/// Adds all names that a node and the nodes of its bodies read.
static void addReads(const NodeProto &node, Names &names) {
  names.insert(node.input().begin(), node.input().end());
  for (const auto &attribute : node.attribute()) {
    auto addGraph = [&](const GraphProto &graph) {
      for (const NodeProto &inner : graph.node())
        addReads(inner, names);
      for (const ValueInfoProto &output : graph.output())
        names.insert(output.name());
    };
    if (attribute.has_g())
      addGraph(attribute.g());
    for (const GraphProto &graph : attribute.graphs())
      addGraph(graph);
  }
}

/// Removes from a repeated field the elements for which `keeps` returns false.
template <typename List, typename Keeps> static void filter(List &list, Keeps keeps) {
  int kept = 0;
  for (int i = 0; i < list.size(); ++i)
    if (keeps(i))
      list.SwapElements(kept++, i);
  list.DeleteSubrange(kept, list.size() - kept);
}

/// Adds the functions that a node calls, directly or indirectly.
static void addFunctions(const ModelProto &model, const NodeProto &node, Names &names) {
  for (const auto &function : model.functions()) {
    if (function.name() != node.op_type() || function.domain() != node.domain() ||
        !names.insert(function.domain() + ":" + function.name()).second)
      continue;
    for (const NodeProto &inner : function.node())
      addFunctions(model, inner, names);
  }
  for (const auto &attribute : node.attribute())
    for (const NodeProto &inner : attribute.g().node())
      addFunctions(model, inner, names);
}

void tssa::reduce::dropUnused(ModelProto &model) {
  GraphProto &graph = *model.mutable_graph();
  std::map<std::string, int> makers;
  for (auto [index, node] : llvm::enumerate(graph.node()))
    for (const std::string &name : node.output())
      makers[name] = static_cast<int>(index);
  Names needed;
  std::vector<std::string> pending;
  for (const ValueInfoProto &output : graph.output())
    pending.push_back(output.name());
  std::set<int> nodes;
  while (!pending.empty()) {
    std::string name = std::move(pending.back());
    pending.pop_back();
    auto maker = makers.find(name);
    if (!needed.insert(name).second || maker == makers.end() || !nodes.insert(maker->second).second)
      continue;
    Names reads;
    addReads(graph.node(maker->second), reads);
    pending.insert(pending.end(), reads.begin(), reads.end());
  }
  filter(*graph.mutable_node(), [&](int i) { return nodes.count(i); });
  filter(*graph.mutable_initializer(),
         [&](int i) { return needed.count(graph.initializer(i).name()); });
  filter(*graph.mutable_sparse_initializer(),
         [&](int i) { return needed.count(graph.sparse_initializer(i).values().name()); });
  filter(*graph.mutable_input(), [&](int i) { return needed.count(graph.input(i).name()); });
  filter(*graph.mutable_value_info(),
         [&](int i) { return needed.count(graph.value_info(i).name()); });
  Names functions;
  for (const NodeProto &node : graph.node())
    addFunctions(model, node, functions);
  filter(*model.mutable_functions(), [&](int i) {
    return functions.count(model.functions(i).domain() + ":" + model.functions(i).name());
  });
}

bool tssa::reduce::isValid(const ModelProto &model) {
  try {
    ModelProto copy = model;
    tssa_onnx::checker::check_model(copy);
    tssa_onnx::shape_inference::InferShapes(copy, tssa_onnx::OpSchemaRegistry::Instance(),
                                            tssa_onnx::ShapeInferenceOptions(true, 1, true));
    return true;
  } catch (const std::exception &) { // onnx's exceptions say what is wrong with the model
    return false;
  }
}

/// Returns the types of the values of the graph, as far as they can be inferred.
static std::map<std::string, TypeProto> inferTypes(const ModelProto &model) {
  ModelProto copy = model;
  try {
    tssa_onnx::shape_inference::InferShapes(copy, tssa_onnx::OpSchemaRegistry::Instance(),
                                            tssa_onnx::ShapeInferenceOptions(false, 0, true));
  } catch (const std::exception &) { // then only the types in the model are known
    copy = model;
  }
  std::map<std::string, TypeProto> types;
  const GraphProto &graph = copy.graph();
  for (const auto *list : {&graph.input(), &graph.output(), &graph.value_info()})
    for (const ValueInfoProto &info : *list)
      if (info.type().tensor_type().has_shape())
        types[info.name()] = info.type();
  return types;
}

Edited tssa::reduce::withoutNodes(const ModelProto &model, size_t begin, size_t end) {
  std::map<std::string, TypeProto> types = inferTypes(model);
  ModelProto edited = model;
  GraphProto &graph = *edited.mutable_graph();
  Names removed, read;
  for (auto [index, node] : llvm::enumerate(model.graph().node())) {
    if (index < begin || index >= end)
      addReads(node, read);
    else
      removed.insert(node.output().begin(), node.output().end());
  }
  graph.mutable_node()->DeleteSubrange(static_cast<int>(begin), static_cast<int>(end - begin));
  filter(*graph.mutable_output(), [&](int i) { return !removed.count(graph.output(i).name()); });
  if (graph.output().empty())
    return std::nullopt;
  for (const std::string &name : removed) {
    if (name.empty() || !read.count(name))
      continue;
    auto type = types.find(name);
    if (type == types.end())
      return std::nullopt;
    ValueInfoProto &input = *graph.add_input();
    input.set_name(name);
    *input.mutable_type() = type->second;
  }
  dropUnused(edited);
  return edited;
}

Edited tssa::reduce::withoutOutputs(const ModelProto &model, size_t begin, size_t end) {
  ModelProto edited = model;
  GraphProto &graph = *edited.mutable_graph();
  if (end - begin == static_cast<size_t>(graph.output_size()))
    return std::nullopt;
  graph.mutable_output()->DeleteSubrange(static_cast<int>(begin), static_cast<int>(end - begin));
  dropUnused(edited);
  return edited;
}

Edited tssa::reduce::withEarlierOutput(const ModelProto &model, size_t index) {
  std::map<std::string, TypeProto> types = inferTypes(model);
  std::string name = model.graph().output(static_cast<int>(index)).name();
  ModelProto edited = model;
  GraphProto &graph = *edited.mutable_graph();
  Names made, there, reads;
  for (const NodeProto &node : model.graph().node()) {
    made.insert(node.output().begin(), node.output().end());
    if (llvm::is_contained(node.output(), name))
      addReads(node, reads);
  }
  for (const ValueInfoProto &output : graph.output())
    there.insert(output.name());
  graph.mutable_output()->DeleteSubrange(static_cast<int>(index), 1);
  for (const std::string &read : reads) {
    auto type = types.find(read);
    if (!made.count(read) || there.count(read) || type == types.end())
      continue;
    ValueInfoProto &output = *graph.add_output();
    output.set_name(read);
    *output.mutable_type() = type->second;
  }
  if (graph.output().empty())
    return std::nullopt;
  dropUnused(edited);
  return edited;
}

Edited tssa::reduce::withoutInitializers(const ModelProto &model, size_t begin, size_t end) {
  ModelProto edited = model;
  GraphProto &graph = *edited.mutable_graph();
  Names inputs;
  for (const ValueInfoProto &input : graph.input())
    inputs.insert(input.name());
  for (size_t i = begin; i < end; ++i) {
    const TensorProto &tensor = graph.initializer(static_cast<int>(i));
    if (inputs.count(tensor.name()))
      continue;
    ValueInfoProto &input = *graph.add_input();
    input.set_name(tensor.name());
    auto &type = *input.mutable_type()->mutable_tensor_type();
    type.set_elem_type(tensor.data_type());
    type.mutable_shape();
    for (int64_t size : tensor.dims())
      type.mutable_shape()->add_dim()->set_dim_value(size);
  }
  graph.mutable_initializer()->DeleteSubrange(static_cast<int>(begin),
                                              static_cast<int>(end - begin));
  return edited;
}

Edited tssa::reduce::withoutAttribute(const ModelProto &model, size_t node, size_t attribute) {
  ModelProto edited = model;
  edited.mutable_graph()
      ->mutable_node(static_cast<int>(node))
      ->mutable_attribute()
      ->DeleteSubrange(static_cast<int>(attribute), 1);
  return edited;
}

Edited tssa::reduce::withoutMetadata(const ModelProto &model) {
  ModelProto edited = model;
  edited.clear_metadata_props();
  edited.clear_doc_string();
  edited.clear_producer_name();
  edited.clear_producer_version();
  GraphProto &graph = *edited.mutable_graph();
  graph.clear_doc_string();
  graph.clear_value_info();
  graph.clear_metadata_props();
  graph.clear_quantization_annotation();
  for (NodeProto &node : *graph.mutable_node()) {
    node.clear_doc_string();
    node.clear_metadata_props();
  }
  dropUnused(edited);
  return edited;
}
