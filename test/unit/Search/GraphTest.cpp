//===- GraphTest.cpp - tests of the choice of options in a graph -*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Messages.h"

#include "tssa/Search/Graph.h"
#include "tssa/Search/Random.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <limits>

using namespace tssa::search;
using llvm::cantFail;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Times that are alike, so that equal ones and sums of other order occur, or all different.
double drawSeconds(Random &random, bool coarse) {
  return coarse ? double(random.below(4)) * 0.1 : random.uniform() * 1e-5;
}

/// A graph without edges whose nodes have `least` to `most` options.
ChoiceGraph drawNodes(Random &random, uint32_t count, uint64_t least, uint64_t most, bool coarse) {
  ChoiceGraph graph;
  for (uint32_t node = 0; node < count; ++node) {
    std::vector<double> seconds(least + random.below(most - least + 1));
    for (double &time : seconds)
      time = drawSeconds(random, coarse);
    cantFail(graph.addNode(seconds));
  }
  return graph;
}

/// A conversion that is free for some pairs, and in one case of ten impossible where that is asked.
void drawEdge(ChoiceGraph &graph, Random &random, uint32_t from, uint32_t to, bool coarse,
              bool impossible = false) {
  std::vector<double> seconds(graph.countOptions(from) * graph.countOptions(to));
  for (double &time : seconds) {
    time = random.below(3) == 0 ? 0 : drawSeconds(random, coarse);
    if (impossible && random.below(10) == 0)
      time = infinity;
  }
  cantFail(graph.addEdge(from, to, seconds));
}

/// The least time of all choices.
double findLeast(const ChoiceGraph &graph) {
  std::vector<uint32_t> options(graph.countNodes());
  double least = infinity;
  for (size_t node = 0; node < options.size();) {
    least = std::min(least, graph.getCost(options));
    for (node = 0; node < options.size(); ++node) {
      if (++options[node] < graph.countOptions(uint32_t(node)))
        break;
      options[node] = 0;
    }
  }
  return least;
}

void expectLeast(const ChoiceGraph &graph) {
  double least = findLeast(graph);
  llvm::Expected<Choice> choice = solve(graph);
  if (least == infinity) {
    EXPECT_EQ(getMessage(std::move(choice)), "each choice of options has an infinite time");
    return;
  }
  ASSERT_TRUE(bool(choice));
  EXPECT_TRUE(choice->isExact);
  EXPECT_EQ(choice->seconds, graph.getCost(choice->options));
  EXPECT_NEAR(choice->seconds, least, 1e-9 * least);
}

/// A chain of nodes with the same options, where a conversion takes `conversion`.
ChoiceGraph makeChain(std::vector<std::vector<double>> nodes, double conversion) {
  ChoiceGraph graph;
  for (const std::vector<double> &seconds : nodes) {
    uint32_t node = cantFail(graph.addNode(seconds));
    std::vector<double> matrix;
    for (size_t from = 0; from < seconds.size(); ++from)
      for (size_t to = 0; to < seconds.size(); ++to)
        matrix.push_back(from == to ? 0 : conversion);
    if (node > 0)
      cantFail(graph.addEdge(node - 1, node, matrix));
  }
  return graph;
}

TEST(GraphTest, RefusesWhatIsNoNode) {
  ChoiceGraph graph;
  EXPECT_EQ(getMessage(graph.addNode({})), "a node has 1 to 1024 options, not 0");
  EXPECT_EQ(getMessage(graph.addNode(std::vector<double>(1025))),
            "a node has 1 to 1024 options, not 1025");
  EXPECT_EQ(getMessage(graph.addNode({1, -2})), "a time is 0 to 1e+12 seconds or infinite, not -2");
  EXPECT_EQ(getMessage(graph.addNode({std::numeric_limits<double>::quiet_NaN()})),
            "a time is 0 to 1e+12 seconds or infinite, not nan");
  EXPECT_EQ(getMessage(graph.addNode({-infinity})),
            "a time is 0 to 1e+12 seconds or infinite, not -inf");
  EXPECT_EQ(getMessage(graph.addNode({1e300})),
            "a time is 0 to 1e+12 seconds or infinite, not 1e+300");
  EXPECT_EQ(graph.countNodes(), 0u);
  for (size_t node = 0; node < ChoiceGraph::maxNodes; ++node)
    cantFail(graph.addNode({0}));
  EXPECT_EQ(getMessage(graph.addNode({0})), "a graph has at most 16384 nodes");
}

TEST(GraphTest, RefusesWhatIsNoEdge) {
  ChoiceGraph graph;
  cantFail(graph.addNode({1, 2}));
  cantFail(graph.addNode({1, 2, 3}));
  EXPECT_EQ(getMessage(graph.addEdge(0, 2, {})), "there is no node 2 among 2");
  EXPECT_EQ(getMessage(graph.addEdge(7, 0, {})), "there is no node 7 among 2");
  EXPECT_EQ(getMessage(graph.addEdge(0, 1, {1, 2, 3, 4, 5})),
            "an edge from a node with 2 options to one with 3 has 6 times, not 5");
  EXPECT_EQ(getMessage(graph.addEdge(0, 1, {1, 2, 3, 4, 5, -6})),
            "a time is 0 to 1e+12 seconds or infinite, not -6");
  EXPECT_TRUE(graph.getEdges().empty());
}

TEST(GraphTest, RefusesTooManyTimes) {
  ChoiceGraph graph;
  cantFail(graph.addNode(std::vector<double>(1024)));
  cantFail(graph.addNode(std::vector<double>(1024)));
  std::vector<double> matrix(1024 * 1024);
  for (int edge = 0; edge < 15; ++edge)
    cantFail(graph.addEdge(0, 1, matrix));
  EXPECT_EQ(getMessage(graph.addEdge(0, 1, matrix)),
            "a graph has at most 16777216 times, not 16779264");
}

TEST(GraphTest, AddsEdgesOfTheSameNodes) {
  ChoiceGraph graph;
  cantFail(graph.addNode({1, 2}));
  cantFail(graph.addNode({0, 0}));
  cantFail(graph.addEdge(0, 1, {5, 1, 2, 7}));
  cantFail(graph.addEdge(1, 0, {1, 3, 4, 0.5}));
  // Only the times at the same option on both sides count.
  cantFail(graph.addEdge(0, 0, {4, 100, 100, 2.5}));
  EXPECT_EQ(graph.getEdges().size(), 2u);
  EXPECT_EQ(graph.getCost({0, 0}), 1 + 4 + 5 + 1);
  EXPECT_EQ(graph.getCost({1, 0}), 2 + 2.5 + 2 + 3);
  Choice choice = cantFail(solve(graph));
  EXPECT_EQ(choice.options, (std::vector<uint32_t>{1, 0}));
  EXPECT_EQ(choice.seconds, 9.5);
}

TEST(GraphTest, TakesTheFirstOfEqualOptions) {
  ChoiceGraph empty;
  EXPECT_TRUE(cantFail(solve(empty)).options.empty());
  EXPECT_EQ(cantFail(solve(makeChain({{3, 1, 1}, {2, 2, 2}, {1, 1, 1}}, 0))).options,
            (std::vector<uint32_t>{1, 0, 0}));
  EXPECT_EQ(cantFail(solve(makeChain({{1, 1}, {2, 2}, {4, 4}, {1, 1}}, 1))).options,
            (std::vector<uint32_t>{0, 0, 0, 0}));
  // A diamond.
  ChoiceGraph graph;
  for (int node = 0; node < 4; ++node)
    cantFail(graph.addNode({1, 1}));
  for (auto [from, to] : {std::pair(0, 1), {0, 2}, {1, 3}, {2, 3}})
    cantFail(graph.addEdge(from, to, {0, 1, 1, 0}));
  EXPECT_EQ(cantFail(solve(graph)).options, (std::vector<uint32_t>{0, 0, 0, 0}));
}

TEST(GraphTest, SaysThatNothingIsPossible) {
  EXPECT_EQ(getMessage(solve(makeChain({{1, 2}, {infinity, infinity}}, 0))),
            "each choice of options has an infinite time");
  EXPECT_EQ(getMessage(solve(makeChain({{1, infinity}, {infinity, 2}}, infinity))),
            "each choice of options has an infinite time");
  EXPECT_EQ(cantFail(solve(makeChain({{1, 2}, {infinity, 2}}, infinity))).options,
            (std::vector<uint32_t>{1, 1}));
  // Three nodes of two options that must all differ, and no table is allowed.
  ChoiceGraph graph;
  for (int node = 0; node < 3; ++node)
    cantFail(graph.addNode({0, 0}));
  for (auto [from, to] : {std::pair(0, 1), {0, 2}, {1, 2}})
    cantFail(graph.addEdge(from, to, {infinity, 0, 0, infinity}));
  EXPECT_EQ(getMessage(solve(graph, {0, 0})), "no choice of options with a finite time was found");
}

TEST(GraphTest, SolvesTrees) {
  for (uint32_t round = 0; round < 200; ++round) {
    Random random(1, 1, round);
    bool coarse = round % 2;
    uint32_t count = 1 + uint32_t(random.below(8));
    ChoiceGraph graph = drawNodes(random, count, 1, 4, coarse);
    for (uint32_t node = 1; node < count; ++node) {
      uint32_t parent = uint32_t(random.below(node));
      bool up = random.below(2);
      drawEdge(graph, random, up ? node : parent, up ? parent : node, coarse, round % 3 == 0);
    }
    expectLeast(graph);
  }
}

TEST(GraphTest, SolvesSeriesParallelGraphs) {
  for (uint32_t round = 0; round < 200; ++round) {
    Random random(1, 2, round);
    bool coarse = round % 2;
    uint32_t count = 3 + uint32_t(random.below(6));
    // Each further node is put into an edge, in series or in parallel to it.
    std::vector<std::pair<uint32_t, uint32_t>> edges = {{0, 1}};
    for (uint32_t node = 2; node < count; ++node) {
      size_t position = random.below(edges.size());
      auto [from, to] = edges[position];
      if (random.below(2))
        edges.erase(edges.begin() + position);
      edges.push_back({from, node});
      edges.push_back({node, to});
    }
    ChoiceGraph graph = drawNodes(random, count, 1, 4, coarse);
    for (auto [from, to] : edges)
      drawEdge(graph, random, from, to, coarse, round % 3 == 0);
    expectLeast(graph);
  }
}

TEST(GraphTest, SolvesResidualNetworks) {
  for (uint32_t round = 0; round < 100; ++round) {
    Random random(1, 3, round);
    ChoiceGraph graph = drawNodes(random, 9, 2, 3, round % 2);
    for (uint32_t node = 1; node < 9; ++node)
      drawEdge(graph, random, node - 1, node, round % 2);
    // Blocks of two nodes and a sum, which an edge leads to from before the block.
    for (uint32_t block = 0; block + 2 < 9; block += 2)
      drawEdge(graph, random, block, block + 2, round % 2);
    expectLeast(graph);
  }
}

TEST(GraphTest, SolvesDenseGraphs) {
  for (uint32_t round = 0; round < 60; ++round) {
    Random random(1, 4, round);
    bool coarse = round % 2;
    uint32_t count = 4 + uint32_t(random.below(5));
    ChoiceGraph graph = drawNodes(random, count, count > 6 ? 3 : 2, 4, coarse);
    for (uint32_t to = 1; to < count; ++to)
      for (uint32_t from = 0; from < to; ++from)
        if (random.below(10) < 9)
          drawEdge(graph, random, from, to, coarse, round % 3 == 0);
    expectLeast(graph);
  }
}

/// The least time of a chain, node after node.
double followChain(const ChoiceGraph &graph) {
  std::vector<double> least = graph.getSeconds(0).vec();
  for (const ChoiceGraph::Edge &edge : graph.getEdges()) {
    std::vector<double> next(graph.countOptions(edge.to), infinity);
    for (uint32_t to = 0; to < next.size(); ++to)
      for (uint32_t from = 0; from < least.size(); ++from)
        next[to] = std::min(next[to], least[from] + graph.getSeconds(edge, from, to));
    for (uint32_t to = 0; to < next.size(); ++to)
      next[to] += graph.getSeconds(edge.to)[to];
    least = next;
  }
  return *std::min_element(least.begin(), least.end());
}

TEST(GraphTest, TellsOptionsOfLongChainsApart) {
  for (uint32_t round = 0; round < 10; ++round) {
    Random random(1, 5, round);
    // All options are alike to some 1e-6, the conversions, too.
    std::vector<std::vector<double>> nodes(200, std::vector<double>(16));
    for (std::vector<double> &seconds : nodes)
      for (double &time : seconds)
        time = 1e-4 * (1 + 1e-6 * random.uniform());
    ChoiceGraph graph = makeChain(nodes, 3e-11);
    double least = followChain(graph);
    EXPECT_NEAR(cantFail(solve(graph)).seconds, least, 1e-13 * least);
  }
}

/// A graph of 7 nodes, most of them joined.
ChoiceGraph drawKnot(Random &random, bool coarse, bool impossible) {
  ChoiceGraph graph = drawNodes(random, 7, 2, 4, coarse);
  for (uint32_t to = 1; to < 7; ++to)
    for (uint32_t from = 0; from < to; ++from)
      if (random.below(4) > 0)
        drawEdge(graph, random, from, to, coarse, impossible);
  return graph;
}

/// How far above the least time the choices for some graphs are.
struct Gaps {
  int guessed = 0;
  int missed = 0;
  double worst = 0;
  double mean = 0;
};

Gaps findGaps(const SolveLimits &limits) {
  Gaps gaps;
  for (uint32_t round = 0; round < 300; ++round) {
    Random random(1, 6, round);
    ChoiceGraph graph = drawKnot(random, round % 2, /*impossible=*/false);
    double least = findLeast(graph);
    Choice choice = cantFail(solve(graph, limits));
    double gap = choice.seconds / least - 1;
    if (choice.isExact) {
      EXPECT_LE(gap, 1e-9);
    }
    gaps.guessed += !choice.isExact;
    gaps.missed += gap > 1e-9;
    gaps.worst = std::max(gaps.worst, gap);
    gaps.mean += gap / 300;
  }
  return gaps;
}

TEST(GraphTest, ComesCloseIfItGuesses) {
  Gaps gaps = findGaps({16, 1 << 14});
  EXPECT_GE(gaps.guessed, 200);
  EXPECT_LE(gaps.missed, 15);
  EXPECT_LE(gaps.worst, 0.2);
  EXPECT_LE(gaps.mean, 0.005);
  // All nodes are guessed, and what is left is to change one or two at a time.
  gaps = findGaps({0, 0});
  EXPECT_EQ(gaps.guessed, 300);
  EXPECT_LE(gaps.missed, 60);
  EXPECT_LE(gaps.mean, 0.02);
}

TEST(GraphTest, FindsWhatIsPossibleIfItGuesses) {
  int found = 0, possible = 0;
  for (uint32_t round = 0; round < 300; ++round) {
    Random random(1, 7, round);
    ChoiceGraph graph = drawKnot(random, round % 2, /*impossible=*/true);
    possible += findLeast(graph) < infinity;
    llvm::Expected<Choice> choice = solve(graph, {16, 1 << 14});
    found += bool(choice);
    if (!choice)
      llvm::consumeError(choice.takeError());
  }
  EXPECT_GE(found, possible * 95 / 100);
}

TEST(GraphTest, GuessesAreEqualForEqualGraphs) {
  for (uint32_t round = 0; round < 20; ++round) {
    std::vector<Choice> choices;
    for (int time = 0; time < 2; ++time) {
      Random random(1, 8, round);
      ChoiceGraph graph = drawKnot(random, round % 2, /*impossible=*/false);
      // The third has no entries at all.
      choices.push_back(cantFail(solve(graph, {4, uint64_t(round % 3) << 9})));
      choices.push_back(cantFail(solve(graph)));
    }
    for (int exact : {0, 1}) {
      EXPECT_EQ(choices[exact].options, choices[exact + 2].options);
      EXPECT_EQ(choices[exact].seconds, choices[exact + 2].seconds);
      EXPECT_EQ(choices[exact].isExact, exact == 1);
    }
  }
}

/// 1x1, depthwise, 1x1 between an input and an output that are as is. An option is a pair of
/// layouts of data and result, each as is (0) or in blocks of 32 channels (1).
ChoiceGraph makeInvertedBottleneck() {
  using Pairs = std::vector<std::pair<int, int>>;
  const Pairs all = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
  const std::vector<Pairs> pairs = {{{0, 0}}, all, {{0, 0}, {1, 1}}, all, {{0, 0}}};
  const std::vector<double> pointwise = {143.5e-6, 143.7e-6, 143.7e-6, 143.7e-6};
  ChoiceGraph graph;
  for (const std::vector<double> &seconds : {{0}, pointwise, {18.6e-6, 10.5e-6}, pointwise, {0}})
    cantFail(graph.addNode(seconds));
  for (uint32_t node = 1; node < pairs.size(); ++node) {
    std::vector<double> matrix;
    for (auto [unused, result] : pairs[node - 1])
      for (auto [data, unused] : pairs[node])
        matrix.push_back(result == data ? 0 : 9e-6);
    cantFail(graph.addEdge(node - 1, node, matrix));
  }
  return graph;
}

TEST(GraphTest, WinsWhereChoosingInOrderLoses) {
  ChoiceGraph graph = makeInvertedBottleneck();
  Choice inOrder = cantFail(solveInOrder(graph, {0, 1, 2, 3, 4}));
  EXPECT_EQ(inOrder.options, (std::vector<uint32_t>{0, 0, 1, 0, 0}));
  EXPECT_NEAR(inOrder.seconds, 315.5e-6, 1e-12);
  EXPECT_FALSE(inOrder.isExact);
  Choice choice = cantFail(solve(graph));
  EXPECT_EQ(choice.options, (std::vector<uint32_t>{0, 1, 1, 2, 0}));
  EXPECT_NEAR(choice.seconds, 297.9e-6, 1e-12);
  EXPECT_TRUE(choice.isExact);
}

TEST(GraphTest, PropagatesInOrder) {
  // Node 2 follows 1, not 4, and 3 follows 2; all would be faster with another option.
  ChoiceGraph graph = makeChain({{5, 1}, {1, 5}, {5, 1}, {5, 1}, {5, 1}}, 1);
  Choice choice = cantFail(solveInOrder(graph, {1, 4}));
  EXPECT_EQ(choice.options, (std::vector<uint32_t>{0, 0, 0, 0, 1}));
  EXPECT_EQ(choice.seconds, 5 + 1 + 5 + 5 + 1 + 1);
  // What node 0 has ends at the tuned node 1, and node 2 follows that.
  EXPECT_EQ(cantFail(solveInOrder(makeChain({{1, 5}, {5, 1}, {0, 0}}, 1), {0, 1})).options,
            (std::vector<uint32_t>{0, 1, 1}));
  // Nothing is tuned.
  EXPECT_EQ(cantFail(solveInOrder(graph, {})).options, (std::vector<uint32_t>{1, 0, 1, 1, 1}));

  // A sum of two: the first that reaches it counts.
  ChoiceGraph sum;
  for (std::vector<double> seconds : {std::vector<double>{1, 2}, {2, 1}, {0, 0}, {0, 0}})
    cantFail(sum.addNode(seconds));
  for (auto [from, to] : {std::pair(0, 2), {1, 2}, {3, 1}})
    cantFail(sum.addEdge(from, to, {0, 1, 1, 0}));
  EXPECT_EQ(cantFail(solveInOrder(sum, {0, 1})).options, (std::vector<uint32_t>{0, 1, 0, 1}));
  EXPECT_EQ(cantFail(solveInOrder(sum, {1, 0})).options, (std::vector<uint32_t>{0, 1, 1, 1}));
  // Of options with equal conversions the fastest, and of these the first.
  ChoiceGraph equal;
  cantFail(equal.addNode({1}));
  cantFail(equal.addNode({3, 2, 2, 0}));
  cantFail(equal.addEdge(0, 1, {0, 0, 0, 1}));
  EXPECT_EQ(cantFail(solveInOrder(equal, {0})).options, (std::vector<uint32_t>{0, 1}));
}

TEST(GraphTest, RefusesWhatIsNoOrder) {
  ChoiceGraph graph = makeChain({{1, infinity}, {3, 2}, {infinity, 1}}, infinity);
  EXPECT_EQ(getMessage(solveInOrder(graph, {0, 3})), "there is no node 3 among 3");
  EXPECT_EQ(getMessage(solveInOrder(graph, {0, 1, 0})), "the order has node 0 twice");
  // Node 1 takes what is possible beside node 0, not what is fastest.
  EXPECT_EQ(getMessage(solveInOrder(graph, {0, 1, 2})),
            "no option of node 2 is possible beside those that were chosen before it");
  EXPECT_EQ(getMessage(solveInOrder(graph, {2, 1})),
            "no option of node 0 is possible beside those that were chosen before it");
  EXPECT_EQ(getMessage(solveInOrder(graph, {2, 0})),
            "no option of node 1 is possible beside those that were chosen before it");
}

} // namespace
