//===- GraphSolver.cpp - the least time of a graph -*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Nodes are removed one after the other (GraphElimination.h). If that had to guess, pairs of nodes
/// that share an edge change one option or both as long as that gains something, and the rest is
/// solved anew with one guess after the other changed. Nodes without edges are never guessed.
///
//===----------------------------------------------------------------------===//
#include "GraphElimination.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace tssa::search;
using llvm::ArrayRef;

//===----------------------------------------------------------------------===//
// Improvement
//===----------------------------------------------------------------------===//

namespace {

/// Times that are added, with the infinite ones apart, so that fewer of those are better.
struct Cost {
  unsigned infinite = 0;
  double seconds = 0;

  void operator+=(double time) {
    infinite += std::isinf(time);
    seconds += std::isinf(time) ? 0 : time;
  }
  Cost operator+(const Cost &other) const {
    return {infinite + other.infinite, seconds + other.seconds};
  }
  /// Whether this is less by more than rounding.
  bool isBelow(const Cost &other) const {
    if (infinite != other.infinite)
      return infinite < other.infinite;
    return seconds < other.seconds * (1 - 1e-12);
  }
};

/// What all nodes and edges take.
Cost addCosts(const ChoiceGraph &graph, ArrayRef<uint32_t> options) {
  Cost sum;
  for (uint32_t node = 0; node < graph.countNodes(); ++node)
    sum += graph.getSeconds(node)[options[node]];
  for (const ChoiceGraph::Edge &edge : graph.getEdges())
    sum += graph.getSeconds(edge, options[edge.from], options[edge.to]);
  return sum;
}

class Improvement {
public:
  Improvement(const ChoiceGraph &graph, std::vector<uint32_t> &options)
      : graph(graph), options(options) {}

  void run();

private:
  /// For each option of `node`, what it takes together with the edges to nodes other than `except`.
  std::vector<Cost> list(uint32_t node, uint32_t except) const;
  /// Gives two nodes that share an edge the options that are best beside those of all others.
  /// Returns whether that is better than before.
  bool improvePair(uint32_t a, uint32_t b);

  const ChoiceGraph &graph;
  std::vector<uint32_t> &options;
};

} // namespace

std::vector<Cost> Improvement::list(uint32_t node, uint32_t except) const {
  std::vector<Cost> costs(graph.countOptions(node));
  for (uint32_t option = 0; option < costs.size(); ++option) {
    costs[option] += graph.getSeconds(node)[option];
    for (uint32_t position : graph.getEdgesOf(node)) {
      const ChoiceGraph::Edge &edge = graph.getEdges()[position];
      if (edge.from == node && edge.to != except)
        costs[option] += graph.getSeconds(edge, option, options[edge.to]);
      if (edge.to == node && edge.from != except)
        costs[option] += graph.getSeconds(edge, options[edge.from], option);
    }
  }
  return costs;
}

bool Improvement::improvePair(uint32_t a, uint32_t b) {
  std::vector<Cost> costsOfA = list(a, b), costsOfB = list(b, a);
  std::vector<const ChoiceGraph::Edge *> shared;
  for (uint32_t position : graph.getEdgesOf(a))
    if (const ChoiceGraph::Edge &edge = graph.getEdges()[position]; edge.from == b || edge.to == b)
      shared.push_back(&edge);
  auto add = [&](uint32_t optionOfA, uint32_t optionOfB) {
    Cost sum = costsOfA[optionOfA] + costsOfB[optionOfB];
    for (const ChoiceGraph::Edge *edge : shared)
      sum += edge->to == b ? graph.getSeconds(*edge, optionOfA, optionOfB)
                           : graph.getSeconds(*edge, optionOfB, optionOfA);
    return sum;
  };
  bool improved = false;
  Cost least = add(options[a], options[b]);
  for (uint32_t optionOfA = 0; optionOfA < costsOfA.size(); ++optionOfA) {
    for (uint32_t optionOfB = 0; optionOfB < costsOfB.size(); ++optionOfB) {
      Cost sum = add(optionOfA, optionOfB);
      if (!sum.isBelow(least))
        continue;
      least = sum;
      options[a] = optionOfA;
      options[b] = optionOfB;
      improved = true;
    }
  }
  return improved;
}

void Improvement::run() {
  bool improved = true;
  while (improved) {
    improved = false;
    for (const ChoiceGraph::Edge &edge : graph.getEdges())
      improved |= improvePair(edge.from, edge.to);
  }
}

/// Tries the other options of the nodes that `guessed` has, one at a time: the nodes that it does
/// not have are then solved anew. Returns whether a choice is better; takes it into `options`.
/// `entries` is how many entries of tables may still be used.
static bool improveGuesses(const ChoiceGraph &graph, const SolveLimits &limits,
                           ArrayRef<uint32_t> guessed, std::vector<uint32_t> &options,
                           uint64_t &entries) {
  bool improved = false;
  for (uint32_t node : guessed) {
    for (uint32_t option = 0; option < graph.countOptions(node); ++option) {
      if (option == options[node])
        continue;
      Elimination elimination(graph, {limits.table, entries});
      for (uint32_t fixed : guessed)
        elimination.fix(fixed, fixed == node ? option : options[fixed]);
      std::vector<uint32_t> changed = elimination.run();
      if (addCosts(graph, changed).isBelow(addCosts(graph, options))) {
        options = changed;
        improved = true;
      }
      if (elimination.countEntries() > entries)
        return false;
      entries -= elimination.countEntries();
    }
  }
  return improved;
}

//===----------------------------------------------------------------------===//
// Entry
//===----------------------------------------------------------------------===//

llvm::Expected<Choice> tssa::search::solve(const ChoiceGraph &graph, const SolveLimits &limits) {
  Elimination elimination(graph, limits);
  Choice choice;
  choice.options = elimination.run();
  choice.isExact = elimination.getGuessed().empty();
  if (!choice.isExact) {
    uint64_t entries = limits.tables;
    do
      Improvement(graph, choice.options).run();
    while (improveGuesses(graph, limits, elimination.getGuessed(), choice.options, entries));
  }
  choice.seconds = graph.getCost(choice.options);
  if (std::isinf(choice.seconds))
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   choice.isExact
                                       ? "each choice of options has an infinite time"
                                       : "no choice of options with a finite time was found");
  return choice;
}
