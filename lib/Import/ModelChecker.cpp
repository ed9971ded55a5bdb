//===- ModelChecker.cpp - checks a model before it is built -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Import/ModelChecker.h"
#include "lib/Import/Limits.h"
#include "lib/Import/ValueForm.h"
#include "onnx/defs/schema.h"
#include "tssa/Operators/Catalogue.h"

using namespace llvm;
using mlir::failure;
using mlir::FailureOr;
using mlir::LogicalResult;
using mlir::success;
using tssa_onnx::FunctionProto;
using tssa_onnx::GraphProto;
using tssa_onnx::NodeProto;
using tssa_onnx::OpSchema;

namespace tssa {

//===----------------------------------------------------------------------===//
// Operator sets, schemas and functions
//===----------------------------------------------------------------------===//

FailureOr<Opsets>
readOpsets(const google::protobuf::RepeatedPtrField<tssa_onnx::OperatorSetIdProto> &imports,
           ImportReport &report) {
  Opsets opsets;
  const auto &known = tssa_onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map();
  for (const auto &import : imports) {
    std::string domain = normalizeDomain(import.domain()).str();
    std::string shown = domain.empty() ? "ai.onnx" : quote(domain);
    if (import.version() < 0)
      return fail(report,
                  "opset of " + shown + " has the negative version " + Twine(import.version()));
    auto it = known.find(domain);
    if (it != known.end() && import.version() > it->second.second)
      return fail(report, Fault::Unsupported,
                  "the model uses opset " + Twine(import.version()) + " of " + shown +
                      ", expected at most " + Twine(it->second.second));
    opsets[domain] = import.version();
  }
  return opsets;
}

std::optional<int64_t> findOpset(const Opsets &opsets, StringRef domain) {
  if (auto it = opsets.find(domain); it != opsets.end())
    return it->second;
  bool isKnown = !domain.empty() && operators::hasDomain(domain);
  return isKnown ? std::optional<int64_t>(1) : std::nullopt;
}

const OpSchema *findSchema(const NodeProto &node, int64_t version) {
  return tssa_onnx::OpSchemaRegistry::Schema(node.op_type(), static_cast<int>(version),
                                             normalizeDomain(node.domain()).str());
}

static std::string getFunctionKey(StringRef domain, StringRef name, StringRef overload) {
  std::string key = normalizeDomain(domain).str();
  key.push_back('\0');
  key.append(name);
  key.push_back('\0');
  key.append(overload);
  return key;
}

FunctionTable::FunctionTable(const tssa_onnx::ModelProto &model) {
  for (const FunctionProto &function : model.functions())
    functions[getFunctionKey(function.domain(), function.name(), function.overload())] = &function;
}

const FunctionProto *FunctionTable::find(const NodeProto &node) const {
  return functions.lookup(getFunctionKey(node.domain(), node.op_type(), node.overload()));
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

bool ModelChecker::Scope::isDefined(StringRef name) const {
  for (const Scope *scope = this; scope; scope = scope->parent)
    if (scope->defined.contains(name))
      return true;
  return false;
}

LogicalResult ModelChecker::checkName(const std::string &name) {
  if (options.untrusted && name.size() > maxUntrustedName)
    return fail(report, Fault::Limit,
                "name " + quote(name) + " has " + Twine(name.size()) + " bytes, at most " +
                    Twine(maxUntrustedName) + " are taken from an untrusted model");
  return success();
}

LogicalResult ModelChecker::define(Scope &scope, StringRef name) {
  if (failed(checkName(name.str())))
    return failure();
  if (!scope.defined.try_emplace(name, true).second)
    return fail(report, "value " + quote(name) + " is defined twice among inputs and initializers");
  scope.names.push_back(name);
  return success();
}

LogicalResult ModelChecker::checkGraph(const GraphProto &graph, const Scope *parent,
                                       const Opsets &opsets, size_t depth) {
  if (depth > maxGraphDepth)
    return fail(report, Fault::Limit,
                "graphs are nested more than " + Twine(maxGraphDepth) + " deep");
  Scope scope{parent, {}, {}, &opsets};
  bool isMain = parent == nullptr;
  for (const auto &input : graph.input())
    if (failed(define(scope, input.name())))
      return failure();
  // An initializer may give an input of the main graph its default value.
  StringMap<bool> inputs = isMain ? scope.defined : StringMap<bool>();
  auto defineTensor = [&](StringRef name) {
    return inputs.erase(name) ? success() : define(scope, name);
  };
  for (const auto &tensor : graph.initializer())
    if (failed(defineTensor(tensor.name())) ||
        failed(checkTensor(tensor, locate("tensor", tensor.name()))))
      return failure();
  for (const auto &tensor : graph.sparse_initializer())
    if (failed(defineTensor(tensor.values().name())) ||
        failed(checkTensor(tensor, locate("tensor", tensor.values().name()))))
      return failure();
  if (failed(checkNodes(graph.node(), scope, depth)))
    return failure();
  StringSet<> made;
  for (const NodeProto &node : graph.node())
    for (const std::string &name : node.output())
      made.insert(name);
  made.erase(""); // a result that is left out
  for (const auto &output : graph.output())
    if (!made.contains(output.name()) && !scope.isDefined(output.name()))
      return fail(report, "output " + quote(output.name()) + " is not made by any node");
  return success();
}

LogicalResult ModelChecker::checkNodes(const NodeList &nodes, const Scope &scope, size_t depth) {
  auto isDefined = [&](StringRef name) { return scope.isDefined(name); };
  // Bodies may use names that are defined later in this graph; here only the order matters.
  FailureOr<std::vector<int>> order = orderNodes(nodes, isDefined, scope.names, report);
  if (failed(order))
    return failure();
  if (!llvm::is_sorted(*order))
    report.warnings.push_back("the nodes are not in the order of their values; they were sorted");
  numNodes += nodes.size();
  Scope inner{&scope, {}, {}, scope.opsets};
  for (int index : *order) {
    if (failed(checkNode(nodes[index], index, inner, depth)))
      return failure();
    for (const std::string &name : nodes[index].output())
      inner.defined.try_emplace(name, true);
  }
  return success();
}

LogicalResult ModelChecker::recordTensor(LogicalResult checked, int32_t type,
                                         const ModelLocation &location) {
  if (succeeded(checked))
    return success();
  bool isNode = location.node >= 0;
  if (report.fault != Fault::Unsupported) {
    if (isNode)
      report.error = location.text + ": " + report.error;
    return failure();
  }
  if (operators::fromONNX(type))
    unsupported.add(UnsupportedUse::Tensor, report.error, location);
  else
    unsupported.add(UnsupportedUse::ElementType, "element type " + getTypeName(type), location);
  report.fault = Fault::None;
  report.error.clear();
  return success();
}

LogicalResult ModelChecker::checkTensor(const tssa_onnx::TensorProto &tensor,
                                        const ModelLocation &location) {
  return recordTensor(reader.check(tensor, report), tensor.data_type(), location);
}

LogicalResult ModelChecker::checkTensor(const tssa_onnx::SparseTensorProto &tensor,
                                        const ModelLocation &location) {
  return recordTensor(reader.check(tensor, report), tensor.values().data_type(), location);
}

LogicalResult ModelChecker::checkAttributes(const NodeProto &node, int index,
                                            const std::string &location) {
  llvm::StringSet<> names;
  for (const auto &attribute : node.attribute()) {
    if (!names.insert(attribute.name()).second)
      return fail(report, location + ": attribute " + quote(attribute.name()) + " is given twice");
    if (attribute.has_t() && failed(checkTensor(attribute.t(), locate(node, index))))
      return failure();
    if (attribute.has_sparse_tensor() &&
        failed(checkTensor(attribute.sparse_tensor(), locate(node, index))))
      return failure();
  }
  return success();
}

/// Returns the first line of an error of onnx's checker, without the context that it adds.
static std::string getFirstLine(const std::exception &error) {
  StringRef text = StringRef(error.what()).ltrim();
  return text.take_until([](char c) { return c == '\n'; }).str();
}

const OpSchema *findCheckedSchema(const NodeProto &node, const OpSchema *schema) {
  if (schema && !schema->Deprecated())
    return schema;
  const OpSchema *newest =
      tssa_onnx::OpSchemaRegistry::Schema(node.op_type(), normalizeDomain(node.domain()).str());
  return newest && !newest->Deprecated() ? newest : schema;
}

FailureOr<int64_t> ModelChecker::getOpset(const NodeProto &node, int index, const Opsets &opsets) {
  std::string domain = normalizeDomain(node.domain()).str();
  std::optional<int64_t> version = findOpset(opsets, domain);
  if (functions.find(node) || users.find(node))
    return version.value_or(0);
  if (!version)
    return fail(report,
                describe(node, index, 0) + ": the model has no opset_import for this domain");
  if (opsets.contains(domain) || !assumedDomains.insert(domain).second)
    return *version;
  report.warnings.push_back("the model has no opset_import for domain " + quote(domain) + " of " +
                            describe(node, index) + "; version " + std::to_string(*version) +
                            " is taken");
  return *version;
}

LogicalResult ModelChecker::checkNode(const NodeProto &node, int index, const Scope &scope,
                                      size_t depth) {
  const FunctionProto *function = functions.find(node);
  FailureOr<int64_t> opset = getOpset(node, index, *scope.opsets);
  if (failed(opset))
    return failure();
  int64_t version = *opset;
  std::string location = describe(node, index, version);

  LogicalResult result = checkAttributes(node, index, location);
  for (const std::string &name : node.output())
    if (succeeded(result))
      result = checkName(name);
  forEachSubgraph(node, [&](const GraphProto &graph) {
    if (succeeded(result))
      result = checkGraph(graph, &scope, *scope.opsets, depth + 1);
  });
  if (failed(result))
    return failure();
  if (function)
    return checkFunction(*function);
  if (users.find(node))
    return success();

  const OpSchema *schema = findSchema(node, version);
  if (const OpSchema *checked = findCheckedSchema(node, schema)) {
    try {
      checked->Verify(node);
    } catch (const std::exception &error) {
      return fail(report, location + ": " + getFirstLine(error));
    }
  }
  if (operators::findOperator(node.domain(), node.op_type(), version))
    return success();
  if (schema && schema->HasFunction())
    return checkSchemaFunction(*schema, version);
  if (schema && schema->HasContextDependentFunction())
    return success();
  unsupported.add(UnsupportedUse::Operator, describeOperator(node, version), locate(node, index));
  return success();
}

LogicalResult ModelChecker::checkFunction(const FunctionProto &function) {
  auto cycle = llvm::find(callStack, &function);
  if (cycle != callStack.end()) {
    std::string text = "a function is recursive: ";
    for (auto it = cycle; it != callStack.end(); ++it)
      text += quote((*it)->name()) + " -> ";
    return fail(report, text + quote(function.name()));
  }
  if (callStack.size() >= maxFunctionDepth)
    return fail(report, Fault::Limit,
                "functions call each other more than " + Twine(maxFunctionDepth) + " deep");
  if (auto known = checkedFunctions.find(&function); known != checkedFunctions.end()) {
    numNodes += known->second;
    return success();
  }
  FailureOr<Opsets> opsets = readOpsets(function.opset_import(), report);
  if (failed(opsets))
    return failure();
  for (const auto &attribute : function.attribute_proto()) {
    ModelLocation location = locate("function", function.name());
    if (attribute.has_g() || attribute.graphs_size() > 0)
      return fail(report, Fault::Unsupported,
                  location.text + ": attribute " + quote(attribute.name()) +
                      " has a graph as its default value, which is not supported");
    if (attribute.has_t() && failed(checkTensor(attribute.t(), location)))
      return failure();
  }
  Scope scope{nullptr, {}, {}, &*opsets};
  for (const std::string &input : function.input())
    if (failed(define(scope, input)))
      return failure();
  callStack.push_back(&function);
  CheckedSize before = numNodes;
  LogicalResult result = checkNodes(function.node(), scope, callStack.size());
  callStack.pop_back();
  checkedFunctions[&function] = numNodes - before;
  return result;
}

LogicalResult ModelChecker::checkSchemaFunction(const OpSchema &schema, int64_t version) {
  const FunctionProto *function = schema.GetFunction(static_cast<int>(version));
  if (!function)
    return success();
  if (!checkedFunctions.try_emplace(function).second)
    return success();
  for (const auto &[index, node] : llvm::enumerate(function->node())) {
    const OpSchema *inner = findSchema(node, version);
    if (operators::findOperator(node.domain(), node.op_type(), version))
      continue;
    if (inner && inner->HasFunction()) {
      if (failed(checkSchemaFunction(*inner, version)))
        return failure();
      continue;
    }
    unsupported.add(UnsupportedUse::Operator, "operator " + quote(schema.Name()),
                    {"which needs " + quote(node.op_type()), -1, "", node.op_type()});
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The model
//===----------------------------------------------------------------------===//

/// Returns what a value of `type`, which is not made of tensors, is, with a way to do without it.
static std::string describeType(const tssa_onnx::TypeProto &type) {
  if (type.optional_type().elem_type().has_sequence_type())
    return "optionals of sequences as inputs (make the sequence an input, which may be empty)";
  if (type.has_sequence_type())
    return "sequences of what is no tensor as inputs (make each part an input)";
  return "values that are no tensors";
}

void ModelChecker::checkValueTypes() {
  auto check = [&](const tssa_onnx::ValueInfoProto &value, StringRef what) {
    ModelLocation location = locate(what, value.name());
    auto form = findForm(value.type());
    if (!form)
      unsupported.add(UnsupportedUse::Tensor, describeType(value.type()), location);
    else if (int32_t type = form->second->elem_type(); !operators::fromONNX(type))
      unsupported.add(UnsupportedUse::ElementType, "element type " + getTypeName(type), location);
  };
  for (const auto &input : model.graph().input())
    check(input, "input");
  for (const auto &output : model.graph().output())
    if (int32_t type = output.type().tensor_type().elem_type();
        type && type != tssa_onnx::TensorProto::STRING)
      check(output, "output");
}

LogicalResult ModelChecker::run() {
  FailureOr<Opsets> opsets = readOpsets(model.opset_import(), report);
  if (failed(opsets) || failed(checkGraph(model.graph(), nullptr, *opsets, 0)))
    return failure();
  checkValueTypes();
  if (!numNodes.fits(maxBuiltNodes))
    return fail(report, Fault::Limit,
                "the model expands to more than " + Twine(maxBuiltNodes) +
                    " nodes, with its graphs and functions");
  return checkTotals();
}

LogicalResult ModelChecker::checkTotals() {
  if (!options.untrusted)
    return success();
  CheckedSize files = CheckedSize(model.ByteSizeLong()) + CheckedSize(reader.getExternalBytes());
  return checkTensorBytes(reader.getCheckedBytes(), files, report);
}

} // namespace tssa
