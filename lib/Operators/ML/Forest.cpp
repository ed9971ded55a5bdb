//===- Forest.cpp - decision trees as tables -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/ML/Forest.h"
#include "tssa/Builder/Contraction.h"
#include "tssa/Builder/Elements.h"
#include "tssa/Builder/Indexing.h"
#include "tssa/Builder/LoopBuilder.h"
#include "llvm/ADT/StringSwitch.h"
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
/// The tables of a forest as tensors.
struct Tables {
  Tensor feature, yes, no, threshold, mode, missingIsYes, roots;
  std::optional<Forest::Mode> onlyMode; ///< the common mode of all inner nodes, if there is one
  bool hasMissing;
};
} // namespace

static Tables makeTables(Builder &builder, const Forest &forest, DType type) {
  Tables tables;
  tables.feature = makeTable<int32_t>(builder, DType::I32, forest.feature);
  tables.yes = makeTable<int32_t>(builder, DType::I32, forest.yes);
  tables.no = makeTable<int32_t>(builder, DType::I32, forest.no);
  tables.threshold = makeFloats(builder, type, forest.threshold);
  tables.roots = makeTable<int32_t>(builder, DType::I32, forest.roots);
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

/// Returns the index of the child to which row d0 of `x` moves from the node with index `node`.
static Scalar step(Body &body, const Tensor &x, const Tables &tables, const Scalar &node) {
  AffineExpr at = body.opaque(toIndex(node));
  Scalar threshold = readScalar(body, tables.threshold, at);
  AffineExpr feature = body.opaque(toIndex(readScalar(body, tables.feature, at)));
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
  return select(isYes, readScalar(body, tables.yes, at), readScalar(body, tables.no, at));
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

/// Returns the leaf that each row of `x` reaches in each tree: i32 [rows, trees].
static FailureOr<Tensor> findLeaves(Builder &builder, const Tensor &x, const Forest &forest,
                                    int64_t depth) {
  DType type = x.dtype() == DType::F64 ? DType::F64 : DType::F32;
  Tables tables = makeTables(builder, forest, type);
  SmallVector<Size> shape = {x.dim(0), static_cast<int64_t>(forest.roots.size())};
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
// Weights
//===----------------------------------------------------------------------===//

/// Returns the weights as a table [nodes, targets]. If a node has no weight for a target, the entry
/// is the neutral element of the aggregate.
static FailureOr<Tensor> makeWeights(Builder &builder, const Forest &forest, DType type) {
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
  return builder.reshape(makeFloats(builder, type, values), {nodes, forest.numTargets});
}

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
  FailureOr<Tensor> leaves = findLeaves(builder, x, forest, *depth);
  FailureOr<Tensor> weights = makeWeights(builder, forest, type);
  if (failed(leaves) || failed(weights))
    return failure();
  double trees = forest.roots.size();
  ReducedDims reduced(2);
  unsigned slot = reduced.add(leaves->dim(1));
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
        return readScalar(body, *weights, {body.opaque(toIndex(leaf)), body.dim(1)});
      },
      isExtremum || forest.aggregate == Forest::Average ? EpilogueFn(finish) : EpilogueFn());
}

} // namespace tssa::operators
