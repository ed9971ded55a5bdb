//===- GraphImporter.cpp - builds te ops for the nodes of a graph -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Import/GraphImporter.h"
#include "lib/Import/GraphBody.h"
#include "lib/Import/InputConstants.h"
#include "lib/Import/NodeNames.h"
#include "lib/Import/StringValues.h"
#include "onnx/defs/schema.h"
#include "tssa/Operators/Catalogue.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace llvm;
using namespace tssa::operators;
using mlir::failure;
using mlir::FailureOr;
using mlir::LogicalResult;
using mlir::success;
using tssa_onnx::AttributeProto;
using tssa_onnx::FunctionProto;
using tssa_onnx::GraphProto;
using tssa_onnx::NodeProto;
using tssa_onnx::OpSchema;

namespace tssa {

GraphImporter::Entry *GraphImporter::Scope::find(StringRef name) {
  for (Scope *scope = this; scope; scope = scope->parent)
    if (auto it = scope->entries.find(name); it != scope->entries.end())
      return &it->second;
  return nullptr;
}

GraphImporter::Scope GraphImporter::Scope::nest() {
  Scope inner;
  inner.parent = this;
  inner.opsets = opsets;
  inner.graph = graph;
  inner.attributes = attributes;
  inner.isStandard = isStandard;
  inner.prefix = prefix;
  return inner;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

std::optional<GraphImporter::Attribute> resolve(const AttributeProto &attribute,
                                                GraphImporter::Scope &scope) {
  if (attribute.ref_attr_name().empty())
    return GraphImporter::Attribute{&attribute, &scope};
  if (!scope.attributes)
    return std::nullopt;
  auto it = scope.attributes->find(attribute.ref_attr_name());
  return it == scope.attributes->end() ? std::nullopt : std::optional(it->second);
}

LogicalResult GraphImporter::readAttribute(StringRef name, Attribute attribute, Node &node) {
  mlir::OpBuilder &ops = builder->ops;
  const AttributeProto &proto = *attribute.proto;
  switch (proto.type()) {
  case AttributeProto::INT:
    node.attributes.set(name, ops.getI64IntegerAttr(proto.i()));
    return success();
  case AttributeProto::FLOAT:
    node.attributes.set(name, ops.getF32FloatAttr(proto.f()));
    return success();
  case AttributeProto::STRING:
    node.attributes.set(name, ops.getStringAttr(proto.s()));
    return success();
  case AttributeProto::INTS:
    node.attributes.set(name, ops.getDenseI64ArrayAttr(
                                  SmallVector<int64_t>(proto.ints().begin(), proto.ints().end())));
    return success();
  case AttributeProto::FLOATS:
    node.attributes.set(name, ops.getDenseF32ArrayAttr(SmallVector<float>(proto.floats().begin(),
                                                                          proto.floats().end())));
    return success();
  case AttributeProto::STRINGS: {
    SmallVector<StringRef> strings(proto.strings().begin(), proto.strings().end());
    node.attributes.set(name, ops.getStrArrayAttr(strings));
    return success();
  }
  case AttributeProto::TENSOR:
  case AttributeProto::SPARSE_TENSOR: {
    FailureOr<TensorReader::Constant> constant = proto.type() == AttributeProto::TENSOR
                                                     ? reader.read(proto.t(), report)
                                                     : reader.read(proto.sparse_tensor(), report);
    if (failed(constant))
      return failure();
    node.tensors[name] = makeConstant(*builder, *constant);
    return success();
  }
  case AttributeProto::TYPE_PROTO: {
    const tssa_onnx::TypeProto *type = &proto.tp();
    if (type->has_sequence_type())
      type = &type->sequence_type().elem_type();
    node.attributes.set(name, ops.getI64IntegerAttr(type->tensor_type().elem_type()));
    return success();
  }
  case AttributeProto::GRAPH:
    node.subgraphs[name] = std::make_shared<GraphBody>(*this, proto.g(), *attribute.scope);
    return success();
  default:
    return builder->unsupported("attribute " + quote(name) + " has a kind that is not supported");
  }
}

LogicalResult GraphImporter::readAttributes(const NodeProto &proto, Node &node, Scope &scope) {
  for (const AttributeProto &attribute : proto.attribute())
    if (std::optional<Attribute> resolved = resolve(attribute, scope))
      if (failed(readAttribute(attribute.name(), *resolved, node)))
        return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

mlir::Location GraphImporter::getLocation(const NodeProto &proto, int index, const Scope &scope) {
  mlir::MLIRContext *context = builder->context();
  std::string name = getNodeName(proto, index);
  mlir::Location position = mlir::FileLineColLoc::get(context, fileName, index, 0);
  mlir::Location named = mlir::NameLoc::get(mlir::StringAttr::get(context, scope.prefix + name));
  return mlir::FusedLoc::get(context, {named, position},
                             mlir::StringAttr::get(context, proto.op_type()));
}

LogicalResult GraphImporter::reportNode(const NodeProto &proto, int index, const Node &node,
                                        Scope &scope) {
  if (report.fault != Fault::None)
    return failure();
  std::string text = describe(proto, index, node.version) + ": " + builder->faultText().str();
  if (Tensor unknown = builder->unknownOperand(); unknown && unknown.isPlain())
    text += adviseConstant(builder->value(unknown));
  for (const auto &[i, name] : llvm::enumerate(proto.input())) {
    Entry *entry = name.empty() ? nullptr : scope.find(name);
    if (!entry || !entry->tensor)
      continue;
    text += "\n  input " + std::to_string(i) + " " + quote(name) + " " + entry->tensor.str() + " " +
            entry->producer;
  }
  if (!scope.prefix.empty())
    text += "\n  in " + quote(StringRef(scope.prefix).drop_back());
  return fail(report, builder->fault(), text);
}

bool GraphImporter::collectFault(const NodeProto &proto, int index) {
  bool isKnown = std::exchange(metUnknown, false);
  if (!isKnown && report.fault != Fault::Unsupported)
    return false;
  if (!isKnown)
    unsupported.add(UnsupportedUse::Node, report.error, locate(proto, index));
  report.fault = Fault::None;
  report.error.clear();
  builder->clearFault();
  return true;
}

LogicalResult GraphImporter::importNode(Rest &rest, Scope &scope) {
  int index = rest.order.front();
  const NodeProto &proto = rest.nodes[index];
  rest.order = rest.order.drop_front();
  if (++numNodes > maxBuiltNodes)
    return fail(report, Fault::Limit,
                "the model expands to more than " + Twine(maxBuiltNodes) +
                    " nodes, with its functions and bodies");
  auto isUnknown = [&](const std::string &name) {
    Entry *entry = name.empty() ? nullptr : scope.find(name);
    return entry && entry->isUnknown;
  };
  auto makeUnknown = [&] {
    for (const std::string &name : proto.output())
      scope.entries[name].isUnknown = !name.empty();
    return success();
  };
  if (llvm::any_of(proto.input(), isUnknown))
    return makeUnknown();
  Node node;
  mlir::OpBuilder::InsertPoint insertionPoint = builder->ops.saveInsertionPoint();
  if (succeeded(buildNode(proto, index, rest, scope, node))) {
    metUnknown = false; // a body that was only tried may have set it
    return success();
  }
  (void)reportNode(proto, index, node, scope);
  if (!collectFault(proto, index))
    return failure();
  builder->ops.restoreInsertionPoint(insertionPoint);
  return makeUnknown();
}

LogicalResult GraphImporter::buildNode(const NodeProto &proto, int index, Rest &rest, Scope &scope,
                                       Node &node) {
  builder->setLoc(getLocation(proto, index, scope));
  node.op = proto.op_type();
  node.domain = normalizeDomain(proto.domain()).str();
  node.name = proto.name();
  node.version = findOpset(*scope.opsets, node.domain).value_or(0);
  for (const std::string &name : proto.input()) {
    Entry *entry = name.empty() ? nullptr : scope.find(name);
    node.inputs.push_back(entry ? entry->tensor : Tensor());
  }
  // An output with a name that nothing reads is as good as one that is left out, but the first
  // output decides what the node is.
  for (const auto &[i, name] : llvm::enumerate(proto.output()))
    node.outputs.push_back(i == 0 ? !name.empty() : rest.read.contains(name));

  std::string location = describe(proto, index);
  if (failed(readAttributes(proto, node, scope))) {
    if (report.fault != Fault::None)
      report.error = location + ": " + report.error;
    return failure();
  }
  bool goesOn = false;
  if (!node.subgraphs.empty() && numContinued < maxContinuedIfs)
    node.continueGraph = [&](Builder &, ArrayRef<Tensor> results) {
      goesOn = true;
      return continueGraph(proto, index, rest, scope, results);
    };
  FailureOr<Tensors> results = build(proto, index, node, scope);
  if (failed(results))
    return failure();
  if (goesOn) {
    for (const auto &[name, tensor] : llvm::zip_equal(rest.outputs, *results))
      scope.entries[name] = {tensor, "produced by the nodes after " + location};
    rest.order = {};
    return success();
  }
  for (const auto &[i, name] : llvm::enumerate(proto.output())) {
    bool isBuilt = i < results->size() && (*results)[i];
    if (!isBuilt && node.hasOutput(i))
      return builder->unsupported("output " + Twine(i) + " is not supported");
    if (isBuilt && !name.empty())
      scope.entries[name] = {(*results)[i], "produced by " + location};
  }
  return success();
}

/// Returns the rank that `graph` declares for a value, or nothing.
static std::optional<int64_t> findDeclaredRank(const GraphProto *graph, StringRef name) {
  if (!graph || name.empty())
    return std::nullopt;
  for (const auto *values : {&graph->output(), &graph->value_info()})
    for (const auto &value : *values)
      if (value.name() == name && value.type().has_tensor_type() &&
          value.type().tensor_type().has_shape())
        return value.type().tensor_type().shape().dim_size();
  return std::nullopt;
}

static bool arePlain(ArrayRef<Tensor> inputs) {
  return llvm::all_of(inputs, [](const Tensor &tensor) { return !tensor || tensor.isPlain(); });
}

FailureOr<Tensors> GraphImporter::build(const NodeProto &proto, int index, Node &node,
                                        Scope &scope) {
  if (const FunctionProto *function = scope.isStandard ? nullptr : functions.find(proto))
    return callFunction(*function, proto, node, scope, nullptr);
  if (mlir::func::FuncOp defined = scope.isStandard ? nullptr : users.find(proto)) {
    if (!arePlain(node.inputs))
      return builder->unsupported("expected tensors as inputs");
    if (failed(checkStrings(*builder, node, Strings::Refused)))
      return failure();
    return users.build(defined, *builder, node);
  }
  const OpSchema *schema = findSchema(proto, node.version);
  const OpSchema *checked = findCheckedSchema(proto, schema);
  if (checked &&
      (failed(checkAttributes(*checked, proto, scope)) || failed(checkTypes(*checked, node))))
    return failure();
  if (!schema && !arePlain(node.inputs))
    return builder->unsupported("expected tensors as inputs");
  const OperatorRow *row = findOperator(node.domain, node.op, node.version);
  if ((row || schema) &&
      failed(checkStrings(*builder, node, row ? row->strings : Strings::Refused)))
    return failure();
  if (row) {
    auto declaredRank = [&](int i) {
      return i < proto.output_size() ? findDeclaredRank(scope.graph, proto.output(i))
                                     : std::nullopt;
    };
    if (failed(settleListLengths(*builder, node, row->lists, declaredRank)))
      return failure();
    FailureOr<Tensors> results = row->build(*builder, node);
    if (builder->fault() != Fault::None)
      return failure();
    if (succeeded(results) && row->strings == Strings::Moved && node.inputs[0].hasStrings())
      results->front() = results->front().withStrings(node.inputs[0].labels());
    return results;
  }
  if (schema)
    return expandSchema(*schema, proto, index, node, scope);
  return skipOperator(proto, index, node.version);
}

/// The ModelChecker finds most operators that are not supported. Here, the importer finds
/// unsupported operators in functions whose bodies depend on types.
LogicalResult GraphImporter::skipOperator(const NodeProto &proto, int index, int64_t version) {
  unsupported.add(UnsupportedUse::Operator, describeOperator(proto, version), locate(proto, index));
  metUnknown = true;
  return failure();
}

/// Checks the attributes that refer to attributes of the enclosing function. Their values are known
/// only at a call, so the ModelChecker cannot check them.
LogicalResult GraphImporter::checkAttributes(const OpSchema &schema, const NodeProto &proto,
                                             Scope &scope) {
  for (const AttributeProto &attribute : proto.attribute()) {
    auto known = schema.attributes().find(attribute.name());
    if (attribute.ref_attr_name().empty() || known == schema.attributes().end())
      continue;
    std::optional<Attribute> resolved = resolve(attribute, scope);
    if (!resolved && known->second.required)
      return builder->error("attribute " + quote(attribute.name()) + " is missing");
    if (resolved && resolved->proto->type() != known->second.type)
      return builder->error("attribute " + quote(attribute.name()) +
                            " of the function call has a kind that the node does not take");
  }
  return success();
}

LogicalResult GraphImporter::checkTypes(const OpSchema &schema, const Node &node) {
  StringMap<std::pair<std::string, unsigned>> bound;
  for (const auto &[i, tensor] : llvm::enumerate(node.inputs)) {
    if (schema.inputs().empty())
      return builder->error("takes no inputs");
    const auto &formal = schema.inputs()[std::min(i, schema.inputs().size() - 1)];
    if (!tensor) {
      if (formal.GetOption() != OpSchema::Optional)
        return builder->error("input " + Twine(i) + " (" + formal.GetName() + ") is missing");
      continue;
    }
    std::string type = getONNXType(tensor);
    // Some operators list a tensor type only inside an optional or a sequence. A tensor is accepted
    // where an optional of its type is listed, but not where only a sequence of its type is listed.
    if (llvm::none_of(formal.GetTypes(), [&](const std::string *known) {
          return *known == type || *known == "optional(" + type + ")";
        }))
      return builder->error("input " + Twine(i) + " (" + formal.GetName() + ") is a " + type +
                            ", which the operator does not take");
    bool isShared = formal.GetOption() != OpSchema::Variadic || formal.GetIsHomogeneous();
    if (!isShared)
      continue;
    auto [it, isNew] = bound.try_emplace(formal.GetTypeStr(), type, i);
    if (!isNew && it->second.first != type)
      return builder->error("input " + Twine(i) + " (" + formal.GetName() + ") is a " + type +
                            ", expected " + it->second.first + " as input " +
                            Twine(it->second.second));
  }
  return success();
}

LogicalResult GraphImporter::importNodes(const NodeList &nodes, ArrayRef<StringRef> outputs,
                                         Scope &scope) {
  SmallVector<StringRef> own;
  for (const auto &entry : scope.entries)
    own.push_back(entry.getKey());
  FailureOr<std::vector<int>> order =
      orderNodes(nodes, [&](StringRef name) { return scope.find(name) != nullptr; }, own, report);
  if (failed(order))
    return failure();
  StringSet<> read = collectReadNames(nodes, outputs);
  return importRest({nodes, *order, outputs, read}, scope);
}

LogicalResult GraphImporter::importRest(Rest rest, Scope &scope) {
  while (!rest.order.empty())
    if (failed(importNode(rest, scope)))
      return failure();
  return success();
}

FailureOr<Tensors> GraphImporter::findOutputs(ArrayRef<StringRef> outputs, Scope &scope) {
  Tensors results;
  for (StringRef name : outputs) {
    Entry *entry = scope.find(name);
    if (entry && entry->isUnknown) {
      metUnknown = true;
      return failure();
    }
    results.push_back(entry ? entry->tensor : Tensor());
  }
  return results;
}

//===----------------------------------------------------------------------===//
// The rest of a graph after an If
//===----------------------------------------------------------------------===//

FailureOr<Continuation> GraphImporter::continueGraph(const NodeProto &proto, int index,
                                                     const Rest &rest, Scope &scope,
                                                     ArrayRef<Tensor> results) {
  llvm::SaveAndRestore further(numContinued, numContinued + 1);
  Scope branch = scope.nest();
  for (const auto &[name, tensor] : llvm::zip(proto.output(), results))
    branch.entries[name] = {tensor, "produced by " + describe(proto, index)};
  mlir::Block *block = builder->ops.getInsertionBlock();
  mlir::Operation *last = block->empty() ? nullptr : &block->back();
  if (succeeded(importRest(rest, branch))) {
    FailureOr<Tensors> outputs = findOutputs(rest.outputs, branch);
    if (failed(outputs) || failed(checkBodyOutputs(*builder, *outputs)))
      return failure();
    return Continuation{*outputs, {}};
  }
  if (report.fault != Fault::Model)
    return failure();
  // Only runs that take this branch fail.
  Continuation wrong{{},
                     StringRef(report.error).take_until([](char c) { return c == '\n'; }).str()};
  report.error.clear();
  report.fault = Fault::None;
  builder->clearFault();
  while (!block->empty() && &block->back() != last)
    builder->discard(&block->back());
  builder->ops.setInsertionPointToEnd(block);
  return wrong;
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

LogicalResult GraphImporter::defineInitializer(const std::string &name,
                                               FailureOr<TensorReader::Constant> constant,
                                               Scope &scope) {
  if (succeeded(constant)) {
    scope.entries[name] = {makeConstant(*builder, *constant), "an initializer"};
    return success();
  }
  if (report.fault != Fault::Unsupported)
    return failure();
  // The ModelChecker has already recorded that the tensor is not supported.
  report.fault = Fault::None;
  report.error.clear();
  scope.entries[name].isUnknown = true;
  return success();
}

LogicalResult GraphImporter::importInitializers(const GraphProto &graph, Scope &scope) {
  for (const auto &tensor : graph.initializer())
    if (failed(defineInitializer(tensor.name(), reader.read(tensor, report), scope)))
      return failure();
  for (const auto &tensor : graph.sparse_initializer())
    if (failed(defineInitializer(tensor.values().name(), reader.read(tensor, report), scope)))
      return failure();
  return success();
}

FailureOr<Tensors> GraphImporter::importBody(const GraphProto &graph, Scope &parent,
                                             ArrayRef<Tensor> inputs) {
  if (failed(checkDepth()))
    return failure();
  llvm::SaveAndRestore deeper(depth, depth + 1);
  Scope scope = parent.nest();
  scope.graph = &graph;
  for (const auto &[input, tensor] : llvm::zip_equal(graph.input(), inputs))
    scope.entries[input.name()] = {tensor, "an input of graph " + quote(graph.name())};
  SmallVector<StringRef> outputs = getOutputNames(graph);
  if (failed(importInitializers(graph, scope)) || failed(importNodes(graph.node(), outputs, scope)))
    return failure();
  FailureOr<Tensors> results = findOutputs(outputs, scope);
  if (failed(results))
    return failure();
  // In a function, an output may name an input that the call leaves out.
  for (const auto &[name, tensor] : llvm::zip_equal(outputs, *results))
    if (!tensor)
      return builder->error("output " + quote(name) + " of graph " + quote(graph.name()) +
                            " has no value");
  if (failed(checkBodyOutputs(*builder, *results)))
    return failure();
  return results;
}

LogicalResult GraphImporter::checkDepth() {
  constexpr size_t maxDepth = maxGraphDepth + maxFunctionDepth;
  if (depth < maxDepth)
    return success();
  return fail(report, Fault::Limit,
              "bodies and functions are nested more than " + Twine(maxDepth) + " deep");
}

} // namespace tssa
