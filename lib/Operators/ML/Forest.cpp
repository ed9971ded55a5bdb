//===- Forest.cpp - decision trees as tables -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/ML/Forest.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tssa/Builder/Contraction.h"
#include "tssa/Builder/Elements.h"
#include "tssa/Builder/Indexing.h"
#include "tssa/Builder/LoopBuilder.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/bit.h"
#include <limits>

using namespace mlir;

namespace tssa::operators {

std::optional<Forest::Mode> parseTreeMode(StringRef name) {
  return llvm::StringSwitch<std::optional<Forest::Mode>>(name)
      .Case("BRANCH_LEQ", Forest::LessEqual)
      .Case("BRANCH_LT", Forest::Less)
      .Case("BRANCH_GTE", Forest::GreaterEqual)
      .Case("BRANCH_GT", Forest::Greater)
      .Case("BRANCH_EQ", Forest::Equal)
      .Case("BRANCH_NEQ", Forest::NotEqual)
      .Case("LEAF", Forest::Leaf)
      .Default(std::nullopt);
}

std::optional<Forest::Aggregate> parseAggregate(StringRef name) {
  return llvm::StringSwitch<std::optional<Forest::Aggregate>>(name)
      .Case("SUM", Forest::Sum)
      .Case("AVERAGE", Forest::Average)
      .Case("MIN", Forest::Min)
      .Case("MAX", Forest::Max)
      .Default(std::nullopt);
}

FailureOr<int64_t> measureDepth(Builder &builder, const Forest &forest) {
  int32_t count = forest.feature.size();
  constexpr int64_t isUnseen = -2, isOpen = -1;
  std::vector<int64_t> depth(count, isUnseen);
  int64_t greatest = 0;
  for (int32_t root : forest.roots) {
    std::vector<int32_t> path = {root};
    while (!path.empty()) {
      int32_t node = path.back();
      if (node < 0 || node >= count)
        return builder.error("node " + Twine(node) + " of a tree does not exist");
      if (depth[node] >= 0 || forest.mode[node] == Forest::Leaf) {
        depth[node] = std::max<int64_t>(depth[node], 0);
        path.pop_back();
        continue;
      }
      int32_t children[] = {forest.yes[node], forest.no[node]};
      if (depth[node] == isOpen) {
        depth[node] = 1 + std::max(depth[children[0]], depth[children[1]]);
        path.pop_back();
        continue;
      }
      depth[node] = isOpen;
      for (int32_t child : children) {
        if (child >= 0 && child < count && depth[child] == isOpen)
          return builder.error("node " + Twine(child) + " of a tree is below itself");
        path.push_back(child);
      }
    }
    greatest = std::max(greatest, depth[root]);
  }
  for (int32_t node = 0; node < count; ++node)
    if (depth[node] == isUnseen && forest.mode[node] != Forest::Leaf)
      return builder.error("node " + Twine(node) + " of a tree is below no root");
  return greatest;
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

/// Returns the weights of all nodes, with the targets of a node next to each other. If a node has
/// no weight for a target, the entry is the neutral element of the aggregate.
static FailureOr<std::vector<double>> listWeights(Builder &builder, const Forest &forest) {
  constexpr int64_t most = int64_t(1) << 25;
  int64_t nodes = forest.feature.size();
  if (forest.numTargets < 1 || forest.numTargets > most / std::max<int64_t>(nodes, 1))
    return builder.limit(Twine(nodes) + " nodes with " + Twine(forest.numTargets) + " targets");
  double infinity = std::numeric_limits<double>::infinity();
  double none = forest.aggregate == Forest::Min   ? infinity
                : forest.aggregate == Forest::Max ? -infinity
                                                  : 0;
  std::vector<double> values(nodes * forest.numTargets, none);
  for (const auto &[node, target, value] : forest.weights) {
    if (node < 0 || node >= nodes || target < 0 || target >= forest.numTargets)
      return builder.error("a weight of node " + Twine(node) + " for target " + Twine(target) +
                           ", expected a node below " + Twine(nodes) + " and a target below " +
                           Twine(forest.numTargets));
    double &sum = values[node * forest.numTargets + target];
    sum = sum == none ? value : sum + value;
  }
  return values;
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

template <typename T> static Tensor makeTable(Builder &builder, DType type, ArrayRef<T> values) {
  ArrayRef<char> bytes(reinterpret_cast<const char *>(values.data()), values.size() * sizeof(T));
  return builder.constant(
      type, makeElements(builder.context(), type, {static_cast<int64_t>(values.size())}, bytes));
}

static Tensor makeFloats(Builder &builder, DType type, ArrayRef<double> values) {
  if (type == DType::F64)
    return makeTable<double>(builder, type, values);
  std::vector<float> narrow(values.begin(), values.end());
  return makeTable<float>(builder, type, narrow);
}

namespace {
/// The columns of the table of nodes. A visit of a node reads a single cache line for all of them.
enum Column : int64_t { Feature, Threshold, Yes, No, NumColumns };

/// The tables of a forest as tensors.
struct Tables {
  Tensor nodes;     ///< i32 [nodes, columns]
  Tensor threshold; ///< thresholds of f64, or null: then a column of `nodes` has the bits of an f32
  /// The weights [nodes, targets], or null: then the threshold of a leaf is its only weight.
  Tensor weights;
  Tensor mode, missingIsYes, roots;
  std::optional<Forest::Mode> onlyMode; ///< the common mode of all inner nodes, if there is one
  bool hasMissing;
};
} // namespace

/// `leafWeights` has the weight of each node, or is empty.
static Tensor makeNodes(Builder &builder, const Forest &forest, ArrayRef<double> leafWeights) {
  std::vector<int32_t> cells;
  cells.reserve(forest.feature.size() * NumColumns);
  for (auto [i, feature, threshold, yes, no] :
       llvm::enumerate(forest.feature, forest.threshold, forest.yes, forest.no)) {
    // A leaf compares in vain, as it is its own child.
    bool hasWeight = forest.mode[i] == Forest::Leaf && !leafWeights.empty();
    auto bits = llvm::bit_cast<int32_t>(static_cast<float>(hasWeight ? leafWeights[i] : threshold));
    cells.insert(cells.end(), {feature, bits, yes, no});
  }
  ArrayRef<char> bytes(reinterpret_cast<const char *>(cells.data()),
                       cells.size() * sizeof(int32_t));
  SmallVector<int64_t> shape = {static_cast<int64_t>(forest.feature.size()), NumColumns};
  return builder.constant(DType::I32, makeElements(builder.context(), DType::I32, shape, bytes));
}

/// Returns the roots, and leaves behind them that make their number a multiple of the longest
/// vector. Rows then consist of whole vectors, whose trees are walked side by side without jumps
/// that depend on the input. Few trees stay as they are.
static std::vector<int32_t> padRoots(const Forest &forest) {
  constexpr size_t vectorLength = 16;
  std::vector<int32_t> roots = forest.roots;
  if (roots.size() < vectorLength)
    return roots;
  auto leaf = llvm::find(forest.mode, static_cast<uint8_t>(Forest::Leaf));
  roots.resize(llvm::alignTo(roots.size(), vectorLength), leaf - forest.mode.begin());
  return roots;
}

static FailureOr<Tables> makeTables(Builder &builder, const Forest &forest, DType type) {
  Tables tables;
  FailureOr<std::vector<double>> weights = listWeights(builder, forest);
  if (failed(weights))
    return failure();
  bool isPacked = type == DType::F32 && forest.numTargets == 1;
  tables.nodes =
      makeNodes(builder, forest, isPacked ? ArrayRef<double>(*weights) : ArrayRef<double>());
  if (type == DType::F64)
    tables.threshold = makeFloats(builder, type, forest.threshold);
  if (!isPacked) {
    SmallVector<Size> shape = {static_cast<int64_t>(forest.feature.size()), forest.numTargets};
    FailureOr<Tensor> table = builder.reshape(makeFloats(builder, type, *weights), shape);
    if (failed(table))
      return failure();
    tables.weights = *table;
  }
  tables.roots = makeTable<int32_t>(builder, DType::I32, padRoots(forest));
  tables.hasMissing = llvm::is_contained(forest.missingIsYes, 1);
  std::vector<bool> isUsed(Forest::Leaf + 1, false);
  for (uint8_t mode : forest.mode)
    isUsed[mode] = true;
  isUsed[Forest::Leaf] = false;
  if (llvm::count(isUsed, true) <= 1)
    tables.onlyMode = Forest::Mode(llvm::find(isUsed, true) - isUsed.begin());
  else
    tables.mode = makeTable<uint8_t>(builder, DType::U8, forest.mode);
  if (tables.hasMissing)
    tables.missingIsYes = makeTable<uint8_t>(builder, DType::U8, forest.missingIsYes);
  return tables;
}

//===----------------------------------------------------------------------===//
// Walking
//===----------------------------------------------------------------------===//

static Scalar compare(Forest::Mode mode, const Scalar &x, const Scalar &threshold) {
  switch (mode) {
  case Forest::Less:
    return x < threshold;
  case Forest::GreaterEqual:
    return x >= threshold;
  case Forest::Greater:
    return x > threshold;
  case Forest::Equal:
    return x == threshold;
  case Forest::NotEqual:
    return x != threshold;
  default:
    return x <= threshold;
  }
}

/// Returns the f32 that has the bits of an i32.
static Scalar asFloat(const Scalar &bits) {
  OpBuilder &ops = bits.getBuilder();
  return bits.with(arith::BitcastOp::create(ops, bits.getLoc(), ops.getF32Type(), bits.getValue()));
}

static Scalar readThreshold(Body &body, const Tables &tables, AffineExpr node) {
  if (tables.threshold)
    return readScalar(body, tables.threshold, node);
  return asFloat(readScalar(body, tables.nodes, {node, body.constantExpr(Threshold)}));
}

/// Returns the index of the child to which row d0 of `x` moves from the node with index `node`.
static Scalar step(Body &body, const Tensor &x, const Tables &tables, const Scalar &node) {
  AffineExpr at = body.opaque(toIndex(node));
  auto column = [&](Column number) {
    return readScalar(body, tables.nodes, {at, body.constantExpr(number)});
  };
  Scalar threshold = readThreshold(body, tables, at);
  AffineExpr feature = body.opaque(toIndex(column(Feature)));
  Scalar element = convert(readScalar(body, x, {body.dim(0), feature}), threshold.getType());
  Scalar isYes = compare(tables.onlyMode.value_or(Forest::LessEqual), element, threshold);
  if (tables.mode) {
    Scalar mode = readScalar(body, tables.mode, at);
    for (uint8_t other = Forest::Less; other < Forest::Leaf; ++other)
      isYes = select(mode == static_cast<double>(other),
                     compare(Forest::Mode(other), element, threshold), isYes);
  }
  if (tables.hasMissing)
    isYes = isYes | (isNaN(element) & (readScalar(body, tables.missingIsYes, at) != 0.0));
  return select(isYes, column(Yes), column(No));
}

namespace {
/// A loop body that moves every row one step down in every tree: it maps the nodes [rows, trees] to
/// the next nodes.
class WalkStep : public Subgraph {
public:
  WalkStep(const Tensor &x, const Tables &tables) : x(x), tables(tables) {}

  unsigned numInputs() const override { return 1; }
  unsigned numOutputs() const override { return 1; }
  std::optional<unsigned> getForwardedInput(unsigned) const override { return std::nullopt; }
  bool isAlwaysTrue(unsigned) const override { return false; }

  FailureOr<Tensors> build(Builder &builder, ArrayRef<Tensor> inputs) override {
    const Tensor &nodes = inputs[0];
    return single(builder.compute(DType::I32, nodes.shape(), [&](Body &body) {
      return step(body, x, tables, readScalar(body, nodes, body.dims(0, 2))).getValue();
    }));
  }

private:
  const Tensor &x;
  const Tables &tables;
};
} // namespace

/// Returns the leaf that each row of `x` reaches in each tree: i32 [rows, roots of `tables`].
static FailureOr<Tensor> findLeaves(Builder &builder, const Tensor &x, const Tables &tables,
                                    int64_t depth) {
  SmallVector<Size> shape = {x.dim(0), tables.roots.dim(0)};
  FailureOr<Tensor> roots = builder.compute(
      DType::I32, shape, [&](Body &body) { return body.read(tables.roots, body.dim(1)); });
  if (failed(roots) || depth == 0)
    return roots;
  WalkStep walkStep(x, tables);
  LoopSpec loop(walkStep, *roots);
  loop.count = Size(depth);
  loop.makeInputs = [](const Size &, ArrayRef<Tensor> carried) -> FailureOr<Tensors> {
    return Tensors(carried);
  };
  FailureOr<Tensors> leaves = LoopBuilder(builder, loop).run();
  if (failed(leaves))
    return failure();
  return leaves->front();
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

static LogicalResult checkFeatures(Builder &builder, const Tensor &x, const Forest &forest) {
  if (x.rank() != 2)
    return builder.error("expected an input of rank 2, got " + Twine(x.str()));
  if (forest.feature.empty())
    return builder.error("expected at least one node");
  auto [least, greatest] = std::minmax_element(forest.feature.begin(), forest.feature.end());
  if (*least < 0)
    return builder.error("expected features of at least 0, got " + Twine(*least));
  return builder.requireNonNegative(x.dim(1) - *greatest - 1,
                                    "features of the input minus those of the trees");
}

FailureOr<Tensor> evaluateForest(Builder &builder, const Tensor &x, const Forest &forest) {
  if (forest.roots.empty())
    return builder.error("expected at least one tree");
  if (failed(checkFeatures(builder, x, forest)))
    return failure();
  FailureOr<int64_t> depth = measureDepth(builder, forest);
  if (failed(depth))
    return failure();
  DType type = x.dtype() == DType::F64 ? DType::F64 : DType::F32;
  FailureOr<Tables> tables = makeTables(builder, forest, type);
  if (failed(tables))
    return failure();
  FailureOr<Tensor> leaves = findLeaves(builder, x, *tables, *depth);
  if (failed(leaves))
    return failure();
  double trees = forest.roots.size();
  ReducedDims reduced(2);
  unsigned slot = reduced.add(static_cast<int64_t>(forest.roots.size()));
  bool isExtremum = forest.aggregate == Forest::Min || forest.aggregate == Forest::Max;
  te::Combiner combiner = forest.aggregate == Forest::Min   ? te::Combiner::Min
                          : forest.aggregate == Forest::Max ? te::Combiner::Max
                                                            : te::Combiner::Add;
  auto finish = [&](Body &, Scalar combined) {
    if (isExtremum)
      return select(abs(combined) == std::numeric_limits<double>::infinity(), 0.0, combined);
    return combined / trees;
  };
  return combine(
      builder, combiner, type, type, {x.dim(0), forest.numTargets}, reduced,
      [&](Body &body) {
        Scalar leaf = readScalar(body, *leaves, {body.dim(0), reduced.expr(body, slot)});
        AffineExpr at = body.opaque(toIndex(leaf));
        return tables->weights ? readScalar(body, tables->weights, {at, body.dim(1)})
                               : readThreshold(body, *tables, at);
      },
      isExtremum || forest.aggregate == Forest::Average ? EpilogueFn(finish) : EpilogueFn());
}

} // namespace tssa::operators
