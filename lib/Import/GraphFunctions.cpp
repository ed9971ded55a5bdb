//===- GraphFunctions.cpp - nodes that are calls of functions -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Import/GraphImporter.h"
#include "onnx/defs/schema.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace llvm;
using namespace tssa::operators;
using mlir::failure;
using mlir::FailureOr;
using tssa_onnx::AttributeProto;
using tssa_onnx::FunctionProto;
using tssa_onnx::NodeProto;
using tssa_onnx::OpSchema;

namespace tssa {

FailureOr<Tensors> GraphImporter::callFunction(const FunctionProto &function,
                                               const NodeProto &proto, const Node &node,
                                               Scope &scope, const OpSchema *schema) {
  if (failed(checkDepth()))
    return failure();
  llvm::SaveAndRestore deeper(depth, depth + 1);
  StringMap<Attribute> attributes;
  if (schema)
    for (const auto &[name, attribute] : schema->attributes())
      if (attribute.default_value.type() != AttributeProto::UNDEFINED)
        attributes[name] = {&attribute.default_value, &scope};
  for (const AttributeProto &attribute : function.attribute_proto())
    attributes[attribute.name()] = {&attribute, &scope};
  for (const AttributeProto &attribute : proto.attribute())
    if (std::optional<Attribute> resolved = resolve(attribute, scope))
      attributes[attribute.name()] = *resolved;

  Opsets opsets = *scope.opsets;
  for (const auto &import : function.opset_import())
    opsets[normalizeDomain(import.domain())] = import.version();

  Scope inner;
  inner.opsets = &opsets;
  inner.attributes = &attributes;
  inner.isStandard = schema != nullptr;
  inner.prefix = scope.prefix + (proto.name().empty() ? proto.op_type() : proto.name()) + "/";
  if (node.inputs.size() > static_cast<size_t>(function.input_size()))
    return builder->error("expected at most " + Twine(function.input_size()) +
                          " inputs for function " + quote(function.name()) + ", got " +
                          Twine(node.inputs.size()));
  for (const auto &[i, name] : llvm::enumerate(function.input()))
    inner.entries[name] = {node.input(i), "an input of function " + quote(function.name())};
  SmallVector<StringRef> outputs(function.output().begin(), function.output().end());
  if (failed(importNodes(function.node(), outputs, inner)))
    return failure();
  builder->setLoc(builder->ops.getUnknownLoc());
  return findOutputs(outputs, inner);
}

static tssa_onnx::TypeProto makeTypeProto(const Tensor &tensor) {
  tssa_onnx::TypeProto type;
  if (!tensor || tensor.isAbsent() || tensor.isMaps())
    return type;
  if (tensor.isSequence()) {
    auto *element = type.mutable_sequence_type()->mutable_elem_type()->mutable_tensor_type();
    element->set_elem_type(static_cast<int32_t>(toONNX(tensor.dtype())));
    return type;
  }
  auto *tensorType = type.mutable_tensor_type();
  int64_t element = tensor.hasStrings() ? tssa_onnx::TensorProto::STRING : toONNX(tensor.dtype());
  tensorType->set_elem_type(static_cast<int32_t>(element));
  for (const Size &size : tensor.shape()) {
    auto *dim = tensorType->mutable_shape()->add_dim();
    if (std::optional<int64_t> constant = size.constant())
      dim->set_dim_value(*constant);
  }
  if (tensor.rank() == 0)
    tensorType->mutable_shape();
  return type;
}

FailureOr<Tensors> GraphImporter::expandSchema(const OpSchema &schema, const NodeProto &proto,
                                               int index, const Node &node, Scope &scope) {
  if (schema.HasFunction()) {
    const FunctionProto *function = schema.GetFunction(static_cast<int>(node.version));
    if (function)
      return callFunction(*function, proto, node, scope, &schema);
  }
  if (!schema.HasContextDependentFunction())
    return skipOperator(proto, index, node.version);
  NodeProto resolvedNode = proto;
  resolvedNode.clear_attribute();
  for (const AttributeProto &attribute : proto.attribute())
    if (std::optional<Attribute> resolved = resolve(attribute, scope)) {
      AttributeProto *copy = resolvedNode.add_attribute();
      *copy = *resolved->proto;
      copy->set_name(attribute.name());
    }
  std::vector<tssa_onnx::TypeProto> types;
  for (const Tensor &input : node.inputs)
    types.push_back(makeTypeProto(input));
  tssa_onnx::FunctionBodyBuildContextImpl context(resolvedNode, types);
  FunctionProto function;
  if (!schema.BuildContextDependentFunction(context, function, static_cast<int>(node.version)))
    return builder->unsupported("operator is not supported with these attributes and inputs");
  return callFunction(reader.keep(std::move(function)), resolvedNode, node, scope, &schema);
}

} // namespace tssa
