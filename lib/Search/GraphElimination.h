//===- GraphElimination.h - removes node after node of a graph -*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// 1. Nodes and edges become tables of times: over the options of one node, of two.
/// 2. The node whose neighbours have the fewest options together is removed: the tables that name
///    it become one over its neighbours, with the time of the best option in each case. If that
///    table is too large, the node with most neighbours is removed instead: it gets the option that
///    looks best (RN), and the tables that name it lose a dimension.
/// 3. When no node is left, the last one that was removed takes its best option, and then, each
///    knowing its neighbours' options, the others in reverse.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_SEARCH_GRAPHELIMINATION_H
#define TSSA_SEARCH_GRAPHELIMINATION_H

#include "tssa/Search/Graph.h"

#include <set>

namespace tssa::search {

/// A time for each choice of options of a few nodes; the last one changes fastest.
struct Table {
  std::vector<uint32_t> nodes;
  std::vector<double> seconds;
};

/// How a removed node takes its option: `best` has one for each choice of options of `nodes`.
struct Removal {
  uint32_t node = 0;
  std::vector<uint32_t> nodes;
  std::vector<uint16_t> best;
};

class Elimination {
public:
  Elimination(const ChoiceGraph &graph, const SolveLimits &limits);

  /// Removes `node`, which takes `option`.
  void fix(uint32_t node, uint32_t option);
  /// Removes all nodes, and returns the option of each.
  std::vector<uint32_t> run();
  /// The nodes whose options are guesses: if there are none, no choice takes less time.
  llvm::ArrayRef<uint32_t> getGuessed() const { return guessed; }
  /// How many entries all tables had, those of the graph and those that were made.
  uint64_t countEntries() const { return entries; }

private:
  void addTable(Table table);
  /// Takes the tables that name `node` out of the graph.
  std::vector<Table> takeTables(uint32_t node);
  /// The nodes that share a table with `node`, in order.
  std::vector<uint32_t> findNeighbours(uint32_t node) const;
  /// Finds the place of `node` in the queue anew.
  void enqueue(uint32_t node);
  /// Removes `node`, exactly.
  void eliminate(uint32_t node);
  /// Removes the node with most neighbours by the heuristic.
  void guess();
  /// The sum of the tables that name only `node`, for each of its options.
  std::vector<double> addOwn(uint32_t node) const;
  /// Adds to each option of `node` the least time that `table` and what its other nodes take by
  /// themselves have with it.
  void addExpected(const Table &table, uint32_t node, std::vector<double> &expected);

  const ChoiceGraph &graph;
  SolveLimits limits;
  uint64_t entries = 0;
  std::vector<uint32_t> guessed;
  std::vector<Table> tables;
  /// For each node, the positions in `tables` of those that name it, the number of its neighbours
  /// and the number of entries that the table of its removal would have.
  std::vector<std::vector<uint32_t>> tablesOf;
  std::vector<size_t> degrees;
  std::vector<uint64_t> sizes;
  std::set<std::pair<uint64_t, uint32_t>> queue;
  std::vector<Removal> removals;
};

} // namespace tssa::search

#endif // TSSA_SEARCH_GRAPHELIMINATION_H
