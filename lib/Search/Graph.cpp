//===- Graph.cpp - one option for each node of a graph -*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tssa/Search/Graph.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <limits>
#include <optional>

using namespace tssa::search;
using llvm::ArrayRef;

static llvm::Error fail(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

llvm::Error ChoiceGraph::count(ArrayRef<double> seconds) {
  for (double time : seconds)
    if (!(time >= 0) || (time > maxSeconds && !std::isinf(time)))
      return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                     "a time is 0 to %g seconds or infinite, not %g", maxSeconds,
                                     time);
  if (seconds.size() > maxTimes - times)
    return fail("a graph has at most " + llvm::Twine(maxTimes) + " times, not " +
                llvm::Twine(times + seconds.size()));
  times += seconds.size();
  return llvm::Error::success();
}

llvm::Expected<uint32_t> ChoiceGraph::addNode(std::vector<double> seconds) {
  if (nodes.size() == maxNodes)
    return fail("a graph has at most " + llvm::Twine(maxNodes) + " nodes");
  if (seconds.empty() || seconds.size() > maxOptions)
    return fail("a node has 1 to " + llvm::Twine(maxOptions) + " options, not " +
                llvm::Twine(seconds.size()));
  if (llvm::Error error = count(seconds))
    return std::move(error);
  nodes.push_back({std::move(seconds), {}});
  return uint32_t(nodes.size() - 1);
}

llvm::Error ChoiceGraph::addEdge(uint32_t from, uint32_t to, std::vector<double> seconds) {
  for (uint32_t node : {from, to})
    if (node >= nodes.size())
      return fail("there is no node " + llvm::Twine(node) + " among " + llvm::Twine(nodes.size()));
  size_t rows = countOptions(from), columns = countOptions(to);
  if (seconds.size() != rows * columns)
    return fail("an edge from a node with " + llvm::Twine(rows) + " options to one with " +
                llvm::Twine(columns) + " has " + llvm::Twine(rows * columns) + " times, not " +
                llvm::Twine(seconds.size()));
  if (llvm::Error error = count(seconds))
    return error;
  if (from == to) {
    for (size_t option = 0; option < rows; ++option)
      nodes[from].seconds[option] += seconds[option * columns + option];
    return llvm::Error::success();
  }
  for (uint32_t node : {from, to})
    nodes[node].edges.push_back(uint32_t(edges.size()));
  edges.push_back({from, to, std::move(seconds)});
  return llvm::Error::success();
}

double ChoiceGraph::getCost(ArrayRef<uint32_t> options) const {
  double sum = 0;
  for (auto [node, option] : llvm::zip_equal(nodes, options))
    sum += node.seconds[option];
  for (const Edge &edge : edges)
    sum += getSeconds(edge, options[edge.from], options[edge.to]);
  return sum;
}

//===----------------------------------------------------------------------===//
// ALT's rule
//===----------------------------------------------------------------------===//

namespace {

class InOrder {
public:
  explicit InOrder(const ChoiceGraph &graph) : graph(graph), options(graph.countNodes()) {}

  llvm::Expected<Choice> run(ArrayRef<uint32_t> order);

private:
  /// The time of an edge if `node` takes `option`, none if the node at its other end has none yet.
  std::optional<double> convert(const ChoiceGraph::Edge &edge, uint32_t node, uint32_t option);
  /// Chooses for `node`. One that follows another was reached through `edge`.
  llvm::Error choose(uint32_t node, const ChoiceGraph::Edge *edge);
  /// Chooses for the nodes without an option that those from position `begin` of `chosen` on reach
  /// along edges, or also against them.
  llvm::Error propagate(size_t begin, ArrayRef<bool> isTuned, bool backward);

  const ChoiceGraph &graph;
  std::vector<std::optional<uint32_t>> options;
  /// The nodes that have an option, in the order in which they got it.
  std::vector<uint32_t> chosen;
};

} // namespace

std::optional<double> InOrder::convert(const ChoiceGraph::Edge &edge, uint32_t node,
                                       uint32_t option) {
  bool isFrom = edge.from == node;
  std::optional<uint32_t> other = options[isFrom ? edge.to : edge.from];
  if (!other)
    return std::nullopt;
  return isFrom ? graph.getSeconds(edge, option, *other) : graph.getSeconds(edge, *other, option);
}

llvm::Error InOrder::choose(uint32_t node, const ChoiceGraph::Edge *edge) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::pair<double, double> least(infinity, infinity);
  for (auto [option, seconds] : llvm::enumerate(graph.getSeconds(node))) {
    bool isPossible = !std::isinf(seconds);
    for (uint32_t near : graph.getEdgesOf(node))
      isPossible &= !std::isinf(convert(graph.getEdges()[near], node, option).value_or(0));
    std::pair<double, double> cost(edge ? *convert(*edge, node, option) : 0, seconds);
    if (isPossible && cost < least) {
      least = cost;
      options[node] = uint32_t(option);
    }
  }
  if (!options[node])
    return fail("no option of node " + llvm::Twine(node) +
                " is possible beside those that were chosen before it");
  chosen.push_back(node);
  return llvm::Error::success();
}

llvm::Error InOrder::propagate(size_t begin, ArrayRef<bool> isTuned, bool backward) {
  for (size_t position = begin; position < chosen.size(); ++position) {
    uint32_t node = chosen[position];
    for (uint32_t index : graph.getEdgesOf(node)) {
      const ChoiceGraph::Edge &edge = graph.getEdges()[index];
      if (edge.to == node && !backward)
        continue;
      uint32_t next = edge.to == node ? edge.from : edge.to;
      if (isTuned[next] || options[next])
        continue;
      if (llvm::Error error = choose(next, &edge))
        return error;
    }
  }
  return llvm::Error::success();
}

llvm::Expected<Choice> InOrder::run(ArrayRef<uint32_t> order) {
  // Not std::vector<bool>, which is no array.
  llvm::SmallVector<bool> isTuned(graph.countNodes());
  for (uint32_t node : order) {
    if (node >= isTuned.size())
      return fail("there is no node " + llvm::Twine(node) + " among " +
                  llvm::Twine(isTuned.size()));
    if (isTuned[node])
      return fail("the order has node " + llvm::Twine(node) + " twice");
    isTuned[node] = true;
  }
  for (uint32_t node : order) {
    size_t begin = chosen.size();
    if (llvm::Error error = choose(node, nullptr))
      return std::move(error);
    if (llvm::Error error = propagate(begin, isTuned, /*backward=*/false))
      return std::move(error);
  }
  if (llvm::Error error = propagate(0, isTuned, /*backward=*/true))
    return std::move(error);
  Choice choice;
  for (uint32_t node = 0; node < options.size(); ++node) {
    if (!options[node])
      if (llvm::Error error = choose(node, nullptr))
        return std::move(error);
    choice.options.push_back(*options[node]);
  }
  choice.seconds = graph.getCost(choice.options);
  return choice;
}

llvm::Expected<Choice> tssa::search::solveInOrder(const ChoiceGraph &graph,
                                                  ArrayRef<uint32_t> order) {
  return InOrder(graph).run(order);
}
