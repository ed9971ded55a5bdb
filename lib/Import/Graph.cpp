//===- Graph.cpp - names and order in a graph -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Import/Graph.h"
#include "tssa/Operators/Catalogue.h"
#include "tssa/Runtime/NearName.h"
#include "llvm/ADT/StringMap.h"
#include <queue>

using namespace llvm;
using mlir::failure;
using mlir::FailureOr;
using tssa_onnx::GraphProto;
using tssa_onnx::NodeProto;

namespace tssa {

StringRef normalizeDomain(StringRef domain) { return domain == "ai.onnx" ? "" : domain; }

static std::string describe(const NodeProto &node, int index, StringRef operatorText) {
  std::string name = node.name().empty() ? "" : quote(node.name()) + " ";
  return "node #" + std::to_string(index) + " " + name + "(" + operatorText.str() + ")";
}

std::string describe(const NodeProto &node, int index) {
  std::string op = quote(node.op_type());
  return describe(node, index, StringRef(op).drop_front().drop_back());
}

std::string describe(const NodeProto &node, int index, int64_t version) {
  std::string op = quote(node.op_type());
  std::string domain = quote(node.domain().empty() ? "ai.onnx" : node.domain());
  return describe(node, index,
                  op.substr(1, op.size() - 2) + ", " + domain.substr(1, domain.size() - 2) + ":" +
                      std::to_string(version));
}

std::string describeOperator(const NodeProto &node, int64_t version) {
  std::string domain = node.domain().empty() ? "ai.onnx" : quote(node.domain());
  std::string text =
      "operator " + quote(node.op_type()) + " of " + domain + ":" + std::to_string(version);
  StringRef hint = operators::findHint(node.domain(), node.op_type());
  if (!hint.empty())
    return text + " (" + hint.str() + ")";
  SmallVector<StringRef> names;
  for (const auto &[known, row] : operators::listOperators()) {
    if (known != (node.domain() == "ai.onnx" ? "" : node.domain()))
      continue;
    if (row->name == node.op_type() && row->versions.since > version)
      return text + " (supported from opset " + std::to_string(row->versions.since) +
             " on: convert the model, such as with onnx.version_converter)";
    names.push_back(row->name);
  }
  if (names.empty())
    return text +
           " (no operator of this domain is known: define it in a file of --operators, put a "
           "function of this name into the model, or export the node as standard operators)";
  return llvm::is_contained(names, node.op_type()) ? text
                                                   : text + suggestName(node.op_type(), names);
}

void forEachSubgraph(const NodeProto &node, function_ref<void(const GraphProto &)> visit) {
  for (const auto &attribute : node.attribute()) {
    if (attribute.has_g())
      visit(attribute.g());
    for (const GraphProto &graph : attribute.graphs())
      visit(graph);
  }
}

/// Calls `use` for each name that the node uses, and for each outer name that its bodies use.
static void forEachUse(const NodeProto &node, function_ref<void(StringRef)> use) {
  for (const std::string &name : node.input())
    if (!name.empty())
      use(name);
  forEachSubgraph(node, [&](const GraphProto &graph) {
    StringSet<> own;
    for (const auto &input : graph.input())
      own.insert(input.name());
    for (const auto &tensor : graph.initializer())
      own.insert(tensor.name());
    for (const auto &tensor : graph.sparse_initializer())
      own.insert(tensor.values().name());
    for (const NodeProto &inner : graph.node())
      for (const std::string &name : inner.output())
        own.insert(name);
    auto useOuter = [&](StringRef name) {
      if (!own.contains(name))
        use(name);
    };
    for (const NodeProto &inner : graph.node())
      forEachUse(inner, useOuter);
    for (const auto &output : graph.output())
      useOuter(output.name());
  });
}

std::string suggestName(StringRef name, ArrayRef<StringRef> known) {
  constexpr size_t maxNames = 10'000; // of a hostile model
  std::vector<std::string> names;
  for (StringRef candidate : known.take_front(maxNames))
    names.push_back(candidate.str());
  return runtime::suggestName(name.str(), names);
}

std::string suggestOrList(StringRef given, ArrayRef<StringRef> names, StringRef none) {
  constexpr size_t maxListed = 8;
  if (std::string near = suggestName(given, names); !near.empty())
    return near;
  if (names.empty())
    return (": " + none).str();
  std::string text = ": expected ";
  for (auto [i, name] : llvm::enumerate(names.take_front(maxListed)))
    text += (i ? (i + 1 == names.size() ? " or " : ", ") : "") + quote(name);
  return names.size() > maxListed ? text + " or another" : text;
}

StringRef getDimName(const tssa_onnx::TensorShapeProto::Dimension &dim) {
  StringRef name = dim.dim_param();
  return llvm::is_contained<StringRef>({"?", "-1", "None"}, name) ? StringRef() : name;
}

namespace {
class Sorter {
public:
  Sorter(const NodeList &nodes, ImportReport &report) : nodes(nodes), report(report) {}

  mlir::LogicalResult collectProducers(ArrayRef<StringRef> ownNames);
  mlir::LogicalResult collectUses(function_ref<bool(StringRef)> isDefined,
                                  ArrayRef<StringRef> definedNames);
  FailureOr<std::vector<int>> sort();

private:
  mlir::LogicalResult reportCycle(ArrayRef<int> waiting);

  const NodeList &nodes;
  ImportReport &report;
  StringMap<int> producers;
  std::vector<SmallVector<int, 2>> producersOf, usersOf;
};
} // namespace

mlir::LogicalResult Sorter::collectProducers(ArrayRef<StringRef> ownNames) {
  StringSet<> own;
  for (StringRef name : ownNames)
    own.insert(name);
  for (int i = 0; i < nodes.size(); ++i) {
    for (const std::string &name : nodes[i].output()) {
      if (name.empty())
        continue;
      auto [it, isNew] = producers.try_emplace(name, i);
      if (!isNew)
        return fail(report, "value " + quote(name) + " is made twice, by " +
                                describe(nodes[it->second], it->second) + " and by " +
                                describe(nodes[i], i));
      if (own.contains(name))
        return fail(report, "value " + quote(name) + " of " + describe(nodes[i], i) +
                                " is an input or an initializer already");
    }
  }
  return mlir::success();
}

mlir::LogicalResult Sorter::collectUses(function_ref<bool(StringRef)> isDefined,
                                        ArrayRef<StringRef> definedNames) {
  producersOf.resize(nodes.size());
  usersOf.resize(nodes.size());
  for (int i = 0; i < nodes.size(); ++i) {
    std::string missing;
    forEachUse(nodes[i], [&](StringRef name) {
      auto it = producers.find(name);
      if (it != producers.end()) {
        producersOf[i].push_back(it->second);
        usersOf[it->second].push_back(i);
      } else if (missing.empty() && !isDefined(name)) {
        missing = name.str();
      }
    });
    if (missing.empty())
      continue;
    SmallVector<StringRef> known(definedNames);
    for (const auto &entry : producers)
      known.push_back(entry.getKey());
    llvm::sort(known);
    return fail(report, "value " + quote(missing) + " of " + describe(nodes[i], i) +
                            " is not defined" + suggestName(missing, known));
  }
  return mlir::success();
}

mlir::LogicalResult Sorter::reportCycle(ArrayRef<int> waiting) {
  // A path from any waiting node back through waiting producers ends in a cycle.
  SmallVector<int> path;
  DenseMap<int, size_t> seenAt;
  int at = llvm::find_if(waiting, [](int count) { return count > 0; }) - waiting.begin();
  while (seenAt.try_emplace(at, path.size()).second) {
    path.push_back(at);
    at = *llvm::find_if(producersOf[at], [&](int producer) { return waiting[producer] > 0; });
  }
  constexpr size_t maxShownNodes = 10;
  ArrayRef<int> cycle = ArrayRef(path).drop_front(seenAt[at]);
  std::string text = "the graph has a cycle: " + describe(nodes[at], at);
  for (int node : llvm::reverse(cycle.drop_front().take_back(maxShownNodes)))
    text += " -> " + describe(nodes[node], node);
  return fail(report, text + " -> " + describe(nodes[at], at));
}

FailureOr<std::vector<int>> Sorter::sort() {
  std::vector<int> waiting(nodes.size()), order;
  std::priority_queue<int, std::vector<int>, std::greater<int>> ready;
  for (int i = 0; i < nodes.size(); ++i) {
    waiting[i] = producersOf[i].size();
    if (waiting[i] == 0)
      ready.push(i);
  }
  while (!ready.empty()) {
    int node = ready.top();
    ready.pop();
    order.push_back(node);
    for (int user : usersOf[node])
      if (--waiting[user] == 0)
        ready.push(user);
  }
  if (order.size() != static_cast<size_t>(nodes.size()))
    return reportCycle(waiting);
  return order;
}

SmallVector<StringRef> getOutputNames(const GraphProto &graph) {
  SmallVector<StringRef> names;
  for (const auto &output : graph.output())
    names.push_back(output.name());
  return names;
}

StringSet<> collectReadNames(const NodeList &nodes, ArrayRef<StringRef> outputs) {
  StringSet<> names;
  for (const NodeProto &node : nodes)
    forEachUse(node, [&](StringRef name) { names.insert(name); });
  names.insert_range(outputs);
  return names;
}

FailureOr<std::vector<int>> orderNodes(const NodeList &nodes,
                                       function_ref<bool(StringRef)> isDefined,
                                       ArrayRef<StringRef> definedNames, ImportReport &report) {
  Sorter sorter(nodes, report);
  if (failed(sorter.collectProducers(definedNames)) ||
      failed(sorter.collectUses(isDefined, definedNames)))
    return failure();
  return sorter.sort();
}

} // namespace tssa
