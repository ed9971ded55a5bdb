//===- Graph.h - one option for each node of a graph -*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A program as a graph of kernels: each has options that take some time, such as pairs of a layout
/// of its data and one of its result, and each edge takes some time that depends on the options at
/// its two ends, such as that of a conversion, 0 where the layouts agree. One option for each node
/// is wanted so that the sum of all times is least: a partitioned boolean quadratic problem (PBQP;
/// L. Hames, B. Scholz, "Nearly Optimal Register Allocation with PBQP", JMLC 2006).
///
/// `solve` removes node after node. Hames and Scholz remove one with at most two neighbours exactly
/// (R0, R1, R2): a table has its best time for each pair of options of the neighbours. Here the
/// table may also have more dimensions, as in R. Dechter, "Bucket Elimination: A Unifying Framework
/// for Reasoning", Artificial Intelligence 113, 1999, as long as it is small. Only if it is not, a
/// node gets an option by their heuristic (RN), and the choice is improved afterwards. LLVM's rules
/// (llvm/CodeGen/PBQP) are not used: they count in `float`, and in a chain of 200 nodes whose
/// options are alike they lose some 1e-6 of the time; these count in `double`.
///
/// `solveInOrder` is the rule of ALT, to compare with: Z. Xu, J. Xu, H. Peng, W. Wang, X. Wang, H.
/// Wan, H. Dai, Y. Xu, H. Cheng, K. Wang, G. Chen, "ALT: Breaking the Wall between Data Layout and
/// Loop Optimizations for Deep Learning Compilation", EuroSys 2023.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_SEARCH_GRAPH_H
#define TSSA_SEARCH_GRAPH_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <vector>

namespace tssa::search {

/// Nodes with options and edges between them, and what each takes in seconds. Infinity stands for
/// what is not possible.
class ChoiceGraph {
public:
  static constexpr size_t maxNodes = 1 << 14;
  static constexpr size_t maxOptions = 1 << 10;
  /// How many times all nodes and edges have together.
  static constexpr size_t maxTimes = 1 << 24;
  /// A longer time is infinite.
  static constexpr double maxSeconds = 1e12;

  struct Edge {
    uint32_t from = 0;
    uint32_t to = 0;
    /// For each option of `from` in order, one time for each option of `to`.
    std::vector<double> seconds;
  };

  /// Adds a node that has one option for each of `seconds`, and returns its number: 0, 1, ... Fails
  /// if there is no option or more than `maxOptions`, if a time is negative, no number, or longer
  /// than `maxSeconds` but not infinite, or if the graph becomes too large.
  llvm::Expected<uint32_t> addNode(std::vector<double> seconds);
  /// Adds an edge along which data go from one node to another, with the times in the order of
  /// `Edge`. The times of several edges between two nodes add up; those of an edge from a node to
  /// itself are added to the node's. Fails if a node does not exist, if the number of times is not
  /// the product of the numbers of options, or as `addNode` does.
  llvm::Error addEdge(uint32_t from, uint32_t to, std::vector<double> seconds);

  size_t countNodes() const { return nodes.size(); }
  size_t countOptions(uint32_t node) const { return nodes[node].seconds.size(); }
  /// The time of each option of a node.
  llvm::ArrayRef<double> getSeconds(uint32_t node) const { return nodes[node].seconds; }
  llvm::ArrayRef<Edge> getEdges() const { return edges; }
  /// The positions in `getEdges()` of the edges from or to a node, in the order in which they were
  /// added.
  llvm::ArrayRef<uint32_t> getEdgesOf(uint32_t node) const { return nodes[node].edges; }
  /// The time of an edge if its nodes have these options.
  double getSeconds(const Edge &edge, uint32_t fromOption, uint32_t toOption) const {
    return edge.seconds[fromOption * countOptions(edge.to) + toOption];
  }

  /// The time of all nodes and edges if each node has the option that `options` gives it.
  double getCost(llvm::ArrayRef<uint32_t> options) const;

private:
  struct Node {
    std::vector<double> seconds;
    std::vector<uint32_t> edges;
  };
  /// Counts the times of one more node or edge. Fails if a time or the new count is not possible.
  llvm::Error count(llvm::ArrayRef<double> seconds);

  std::vector<Node> nodes;
  std::vector<Edge> edges;
  size_t times = 0;
};

/// One option for each node, and what all take.
struct Choice {
  std::vector<uint32_t> options;
  double seconds = 0;
  /// Whether it is certain that no other choice takes less time.
  bool isExact = false;
};

/// How large the tables of `solve` may become, in entries.
struct SolveLimits {
  /// One table. 2^20 is that of a node with five neighbours of 16 options each.
  uint64_t table = 1 << 20;
  /// All tables together.
  uint64_t tables = 1 << 25;
};

/// The choice that takes least time. It is exact unless a table was too large; then it is improved
/// until it gains nothing to change the option of one node or those of two that share an edge. The
/// first of equally good options is taken; equal graphs give equal choices, bit for bit. Fails if
/// each choice has an infinite time, or if none with a finite one was found.
llvm::Expected<Choice> solve(const ChoiceGraph &graph, const SolveLimits &limits = {});

/// ALT's rule. `order` has the nodes that are tuned ("complex operators"), none twice, in
/// topological order.
///
/// A tuned node takes the option that is fastest by itself, no matter what conversions that needs:
/// "the layout tuning for each complex operator will be performed independently" (section 4.2), and
/// in the reward r = U - l of a layout, l is "the best latency after several rounds of loop
/// exploration given the current layout" (5.2.1), that of the operator.
///
/// The others follow: "the joint stage of ALT sequentially tunes each complex operator following
/// the topological order and propagates the resulting layouts" (section 6). A tuned node reaches
/// the nodes that use its result, and they those that use theirs, up to the next tuned ones; the
/// first that reaches a node counts. Nodes that none reaches so are then reached along edges in
/// either direction, and take their fastest option if no edges lead there. A node that follows
/// takes the option with the least conversion from the one that reached it, of these the fastest.
///
/// Options that are not possible beside those taken before are passed over, and the first of equal
/// ones is taken. The choice is never called exact. Fails if `order` has a node twice or one that
/// does not exist, or if a node is left without an option.
llvm::Expected<Choice> solveInOrder(const ChoiceGraph &graph, llvm::ArrayRef<uint32_t> order);

} // namespace tssa::search

#endif // TSSA_SEARCH_GRAPH_H
