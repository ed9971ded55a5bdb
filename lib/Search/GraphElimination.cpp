//===- GraphElimination.cpp - removes node after node of a graph -*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "GraphElimination.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <limits>

using namespace tssa::search;
using llvm::ArrayRef;

static constexpr double infinity = std::numeric_limits<double>::infinity();

namespace {

/// Walks through all choices of options of a few nodes, the last one changing fastest, and tells
/// for each of some tables where its entries for that choice begin.
class Walk {
public:
  /// `step[t]` is set to the distance of entries of table t for options of `inner` in turn.
  Walk(const ChoiceGraph &graph, ArrayRef<uint32_t> nodes, ArrayRef<Table> tables, uint32_t inner);

  /// The next choice, or the first again after the last.
  void advance();

  uint64_t count = 1;
  std::vector<size_t> begin;
  std::vector<size_t> step;

private:
  std::vector<uint32_t> sizes;
  std::vector<uint32_t> digits;
  /// For each node, the distance in each table of entries for its options in turn.
  std::vector<std::vector<size_t>> strides;
};

} // namespace

Walk::Walk(const ChoiceGraph &graph, ArrayRef<uint32_t> nodes, ArrayRef<Table> tables,
           uint32_t inner)
    : begin(tables.size()), step(tables.size()), digits(nodes.size()) {
  auto findStride = [&](const Table &table, uint32_t node) -> size_t {
    auto found = llvm::find(table.nodes, node);
    if (found == table.nodes.end())
      return 0;
    size_t stride = 1;
    for (uint32_t after : llvm::make_range(found + 1, table.nodes.end()))
      stride *= graph.countOptions(after);
    return stride;
  };
  for (auto [table, distance] : llvm::zip_equal(tables, step))
    distance = findStride(table, inner);
  for (uint32_t node : nodes) {
    sizes.push_back(uint32_t(graph.countOptions(node)));
    count *= sizes.back();
    std::vector<size_t> &stride = strides.emplace_back();
    for (const Table &table : tables)
      stride.push_back(findStride(table, node));
  }
}

void Walk::advance() {
  for (size_t i = digits.size(); i-- > 0;) {
    bool wraps = ++digits[i] == sizes[i];
    for (auto [place, stride] : llvm::zip_equal(begin, strides[i]))
      place = wraps ? place - (sizes[i] - 1) * stride : place + stride;
    if (!wraps)
      return;
    digits[i] = 0;
  }
}

Elimination::Elimination(const ChoiceGraph &graph, const SolveLimits &limits)
    : graph(graph), limits(limits), tablesOf(graph.countNodes()), degrees(graph.countNodes()),
      sizes(graph.countNodes()) {
  for (uint32_t node = 0; node < graph.countNodes(); ++node)
    addTable({{node}, graph.getSeconds(node).vec()});
  for (const ChoiceGraph::Edge &edge : graph.getEdges())
    addTable({{edge.from, edge.to}, edge.seconds});
  for (uint32_t node = 0; node < graph.countNodes(); ++node)
    enqueue(node);
}

void Elimination::addTable(Table table) {
  for (uint32_t node : table.nodes)
    tablesOf[node].push_back(uint32_t(tables.size()));
  entries += table.seconds.size();
  tables.push_back(std::move(table));
}

std::vector<Table> Elimination::takeTables(uint32_t node) {
  std::vector<Table> taken;
  for (uint32_t position : std::vector<uint32_t>(tablesOf[node])) {
    for (uint32_t named : tables[position].nodes)
      llvm::erase(tablesOf[named], position);
    taken.push_back(std::move(tables[position]));
  }
  queue.erase({sizes[node], node});
  return taken;
}

std::vector<uint32_t> Elimination::findNeighbours(uint32_t node) const {
  std::vector<uint32_t> neighbours;
  for (uint32_t position : tablesOf[node])
    llvm::copy_if(tables[position].nodes, std::back_inserter(neighbours),
                  [&](uint32_t named) { return named != node; });
  llvm::sort(neighbours);
  neighbours.erase(llvm::unique(neighbours), neighbours.end());
  return neighbours;
}

void Elimination::enqueue(uint32_t node) {
  queue.erase({sizes[node], node});
  uint64_t size = 1;
  std::vector<uint32_t> neighbours = findNeighbours(node);
  for (uint32_t neighbour : neighbours)
    if (__builtin_mul_overflow(size, graph.countOptions(neighbour), &size))
      size = UINT64_MAX;
  sizes[node] = size;
  degrees[node] = neighbours.size();
  queue.insert({size, node});
}

void Elimination::eliminate(uint32_t node) {
  std::vector<uint32_t> neighbours = findNeighbours(node);
  std::vector<Table> taken = takeTables(node);
  Walk walk(graph, neighbours, taken, node);
  Table result{neighbours, std::vector<double>(walk.count, infinity)};
  Removal removal{node, neighbours, std::vector<uint16_t>(walk.count)};
  for (auto [least, best] : llvm::zip_equal(result.seconds, removal.best)) {
    for (uint32_t option = 0; option < graph.countOptions(node); ++option) {
      double sum = 0;
      for (size_t table = 0; table < taken.size(); ++table)
        sum += taken[table].seconds[walk.begin[table] + option * walk.step[table]];
      if (sum < least) {
        least = sum;
        best = uint16_t(option);
      }
    }
    walk.advance();
  }
  removals.push_back(std::move(removal));
  if (!neighbours.empty())
    addTable(std::move(result));
  for (uint32_t neighbour : neighbours)
    enqueue(neighbour);
}

std::vector<double> Elimination::addOwn(uint32_t node) const {
  std::vector<double> sum(graph.countOptions(node));
  for (uint32_t position : tablesOf[node])
    if (tables[position].nodes.size() == 1)
      for (auto [total, seconds] : llvm::zip_equal(sum, tables[position].seconds))
        total += seconds;
  return sum;
}

void Elimination::addExpected(const Table &table, uint32_t node, std::vector<double> &expected) {
  std::vector<uint32_t> others = table.nodes;
  llvm::erase(others, node);
  std::vector<Table> parts = {table};
  for (uint32_t other : others)
    parts.push_back({{other}, addOwn(other)});
  Walk walk(graph, others, parts, node);
  std::vector<double> least(expected.size(), infinity);
  for (uint64_t i = 0; i < walk.count; ++i, walk.advance()) {
    double own = 0;
    for (size_t part = 1; part < parts.size(); ++part)
      own += parts[part].seconds[walk.begin[part]];
    for (size_t option = 0; option < least.size(); ++option)
      least[option] =
          std::min(least[option], own + table.seconds[walk.begin[0] + option * walk.step[0]]);
  }
  for (auto [sum, seconds] : llvm::zip_equal(expected, least))
    sum += seconds;
}

void Elimination::guess() {
  auto hasFewer = [&](auto one, auto other) {
    return std::pair(degrees[one.second], other.second) <
           std::pair(degrees[other.second], one.second);
  };
  uint32_t node = llvm::max_element(queue, hasFewer)->second;
  std::vector<double> expected(graph.countOptions(node));
  for (uint32_t position : tablesOf[node])
    addExpected(tables[position], node, expected);
  guessed.push_back(node);
  fix(node, uint32_t(llvm::min_element(expected) - expected.begin()));
}

void Elimination::fix(uint32_t node, uint32_t option) {
  std::vector<uint32_t> neighbours = findNeighbours(node);
  removals.push_back({node, {}, {uint16_t(option)}});
  for (const Table &table : takeTables(node)) {
    Table rest{table.nodes, {}};
    llvm::erase(rest.nodes, node);
    if (rest.nodes.empty())
      continue;
    Walk walk(graph, rest.nodes, table, node);
    for (uint64_t i = 0; i < walk.count; ++i, walk.advance())
      rest.seconds.push_back(table.seconds[walk.begin[0] + option * walk.step[0]]);
    addTable(std::move(rest));
  }
  for (uint32_t neighbour : neighbours)
    enqueue(neighbour);
}

std::vector<uint32_t> Elimination::run() {
  while (!queue.empty()) {
    auto [size, node] = *queue.begin();
    bool fits = size <= limits.table && size <= limits.tables - std::min(entries, limits.tables);
    if (fits || size == 1)
      eliminate(node);
    else
      guess();
  }
  std::vector<uint32_t> options(graph.countNodes());
  for (const Removal &removal : llvm::reverse(removals)) {
    size_t place = 0;
    for (uint32_t node : removal.nodes)
      place = place * graph.countOptions(node) + options[node];
    options[removal.node] = removal.best[place];
  }
  return options;
}
