//===- Trees.cpp - ensembles of decision trees -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/Families.h"
#include "lib/Operators/ML/Forest.h"
#include "lib/Operators/ML/Scores.h"
#include "tssa/Builder/Elements.h"
#include "llvm/ADT/DenseMap.h"
#include <cmath>

using namespace mlir;

namespace tssa::operators {

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// Returns the elements of the attribute `name`, which is a list of floats, or of the attribute
/// `name`_as_tensor.
static FailureOr<SmallVector<double>> getNumbers(Builder &builder, const Node &node,
                                                 const Twine &name) {
  std::string list = name.str(), tensor = list + "_as_tensor";
  Tensor given = node.getTensor(tensor);
  if (!given)
    given = node.getTensor(list);
  if (!given)
    return node.getFloats(list);
  constexpr int64_t most = int64_t(1) << 27;
  std::optional<SmallVector<double>> values =
      given.constant() ? readFloats(given.constant(), given.dtype(), most) : std::nullopt;
  if (!values)
    return builder.limit("attribute '" + Twine(list) + "' has too many elements");
  return *values;
}

static LogicalResult requireLength(Builder &builder, size_t length, size_t wanted, StringRef what) {
  if (length == wanted)
    return success();
  return builder.error("expected " + Twine(wanted) + " elements of " + what + ", got " +
                       Twine(length));
}

/// Returns whether all values are non-negative and fit into i32.
static bool areIndexes(ArrayRef<int64_t> values) {
  return llvm::all_of(values, [](int64_t v) { return v >= 0 && v <= INT32_MAX; });
}

//===----------------------------------------------------------------------===//
// TreeEnsembleRegressor and TreeEnsembleClassifier
//===----------------------------------------------------------------------===//

namespace {
/// The index of each node, by the id of its tree and its own id.
using NodeTable = llvm::DenseMap<std::pair<int64_t, int64_t>, int32_t>;
} // namespace

static FailureOr<NodeTable> numberNodes(Builder &builder, const Node &node) {
  SmallVector<int64_t> trees = node.getInts("nodes_treeids"), ids = node.getInts("nodes_nodeids");
  if (failed(requireLength(builder, ids.size(), trees.size(), "nodes_nodeids")))
    return failure();
  if (!areIndexes(trees) || !areIndexes(ids) || trees.size() > (1u << 30))
    return builder.error("expected nodes_treeids and nodes_nodeids that are not negative");
  NodeTable table;
  table.reserve(trees.size());
  for (auto [i, tree, id] : llvm::enumerate(trees, ids))
    if (!table.try_emplace({tree, id}, static_cast<int32_t>(i)).second)
      return builder.error("node " + Twine(id) + " of tree " + Twine(tree) + " is given twice");
  return table;
}

static LogicalResult readNodes(Builder &builder, const Node &node, const NodeTable &table,
                               Forest &forest) {
  SmallVector<int64_t> trees = node.getInts("nodes_treeids");
  SmallVector<int64_t> features = node.getInts("nodes_featureids"),
                       yes = node.getInts("nodes_truenodeids"),
                       no = node.getInts("nodes_falsenodeids"),
                       missing = node.getInts("nodes_missing_value_tracks_true");
  SmallVector<std::string> modes = node.getStrings("nodes_modes");
  FailureOr<SmallVector<double>> values = getNumbers(builder, node, "nodes_values");
  size_t count = trees.size();
  if (missing.empty())
    missing.assign(count, 0);
  if (failed(values) || failed(requireLength(builder, values->size(), count, "nodes_values")) ||
      failed(requireLength(builder, features.size(), count, "nodes_featureids")) ||
      failed(requireLength(builder, yes.size(), count, "nodes_truenodeids")) ||
      failed(requireLength(builder, no.size(), count, "nodes_falsenodeids")) ||
      failed(requireLength(builder, modes.size(), count, "nodes_modes")) ||
      failed(requireLength(builder, missing.size(), count, "nodes_missing_value_tracks_true")))
    return failure();
  if (!areIndexes(features))
    return builder.error("expected nodes_featureids that are not negative");
  std::vector<bool> isChild(count, false);
  for (size_t i = 0; i < count; ++i) {
    std::optional<Forest::Mode> mode = parseTreeMode(modes[i]);
    if (!mode)
      return builder.unsupported("node mode '" + Twine(modes[i]) + "'");
    int32_t children[] = {static_cast<int32_t>(i), static_cast<int32_t>(i)};
    for (int k = 0; k < 2 && *mode != Forest::Leaf; ++k) {
      int64_t child = k == 0 ? yes[i] : no[i];
      auto it = areIndexes(child) ? table.find({trees[i], child}) : table.end();
      if (it == table.end())
        return builder.error("node " + Twine(child) + " of tree " + Twine(trees[i]) +
                             " does not exist");
      children[k] = it->second;
      isChild[it->second] = true;
    }
    bool isLeaf = *mode == Forest::Leaf;
    forest.feature.push_back(isLeaf ? 0 : features[i]);
    forest.threshold.push_back((*values)[i]);
    forest.mode.push_back(*mode);
    forest.yes.push_back(children[0]);
    forest.no.push_back(children[1]);
    forest.missingIsYes.push_back(!isLeaf && missing[i] != 0);
  }
  for (size_t i = 0; i < count; ++i)
    if (!isChild[i])
      forest.roots.push_back(i);
  return success();
}

/// Reads the weights from the attributes whose names begin with `prefix`.
static LogicalResult readWeights(Builder &builder, const Node &node, StringRef prefix,
                                 const NodeTable &table, Forest &forest) {
  auto ints = [&](StringRef name) { return node.getInts((prefix + name).str()); };
  SmallVector<int64_t> trees = ints("_treeids"), nodes = ints("_nodeids"), ids = ints("_ids");
  FailureOr<SmallVector<double>> values = getNumbers(builder, node, prefix + "_weights");
  if (failed(values) || failed(requireLength(builder, trees.size(), ids.size(), "tree ids")) ||
      failed(requireLength(builder, nodes.size(), ids.size(), "node ids")) ||
      failed(requireLength(builder, values->size(), ids.size(), "weights")))
    return failure();
  if (!areIndexes(ids) || !areIndexes(trees) || !areIndexes(nodes))
    return builder.error("expected ids of trees, nodes and targets that are not negative");
  for (auto [tree, id, target, value] : llvm::zip_equal(trees, nodes, ids, *values)) {
    auto it = table.find({tree, id});
    if (it == table.end() || forest.mode[it->second] != Forest::Leaf)
      return builder.error("a weight of node " + Twine(id) + " of tree " + Twine(tree) +
                           ", which is no leaf");
    forest.weights.push_back({it->second, static_cast<int32_t>(target), value});
  }
  return success();
}

static FailureOr<Forest> readForest(Builder &builder, const Node &node, StringRef prefix) {
  FailureOr<NodeTable> table = numberNodes(builder, node);
  Forest forest;
  if (failed(table) || failed(readNodes(builder, node, *table, forest)) ||
      failed(readWeights(builder, node, prefix, *table, forest)))
    return failure();
  return forest;
}

static FailureOr<Tensors> buildRegressor(Builder &builder, const Node &node) {
  FailureOr<Forest> forest = readForest(builder, node, "target");
  FailureOr<SmallVector<double>> base = getNumbers(builder, node, "base_values");
  if (failed(forest) || failed(base))
    return failure();
  std::optional<Forest::Aggregate> aggregate =
      parseAggregate(node.getString("aggregate_function", "SUM"));
  if (!aggregate)
    return builder.error("unknown aggregate_function");
  forest->aggregate = *aggregate;
  forest->numTargets = node.getInt("n_targets", 1);
  FailureOr<Tensor> scores = evaluateForest(builder, node.inputs[0], *forest);
  if (failed(scores))
    return failure();
  scores = addToColumns(builder, *scores, *base);
  if (failed(scores))
    return failure();
  FailureOr<Tensor> real = builder.cast(*scores, DType::F32);
  if (failed(real))
    return failure();
  return single(transformScores(builder, node.getString("post_transform", "NONE"), *real));
}

//===----------------------------------------------------------------------===//
// Two classes with one score
//===----------------------------------------------------------------------===//

namespace {
/// How the scores of two classes follow from the score of one of them.
struct BinaryScore {
  bool isProbability; ///< true if no weight is negative; else the score is a logit
  bool isOfSecond;    ///< whether the weights are those of the second class
  bool isLogistic;

  Scalar first(const Scalar &x) const {
    if (isOfSecond)
      return isLogistic ? sigmoid(x.constant(0)) : x.constant(0);
    if (isLogistic)
      return sigmoid(-x);
    return isProbability ? 1.0 - x : -x;
  }
  Scalar second(const Scalar &x) const { return isLogistic ? sigmoid(x) : x; }
};
} // namespace

/// Returns the label and the scores of both classes, given the score of one class, [rows, 1].
static FailureOr<Tensors> finishBinary(Builder &builder, const BinaryScore &kind,
                                       const Tensor &score, const ClassLabels &labels) {
  auto readScore = [&](Body &body) {
    return readScalar(body, score, {body.dim(0), body.constantExpr(0)});
  };
  FailureOr<Tensor> index = builder.compute(DType::I64, score.dim(0), [&](Body &body) {
    Scalar isSecond = readScore(body) > (kind.isProbability ? 0.5 : 0.0);
    return convert(isSecond, body.ops.getI64Type(), /*isUnsigned=*/true).getValue();
  });
  if (failed(index))
    return failure();
  FailureOr<Tensor> label = lookUpLabels(builder, *index, labels);
  FailureOr<Tensor> both = builder.compute(DType::F32, {score.dim(0), Size(2)}, [&](Body &body) {
    Scalar x = readScore(body);
    Scalar isFirst = indexScalar(body, body.dim(1), DType::I64) == 0.0;
    return select(isFirst, kind.first(x), kind.second(x)).getValue();
  });
  if (failed(label) || failed(both))
    return failure();
  return Tensors{*label, *both};
}

/// If a classifier has two classes, only one of which has weights, returns how both scores follow
/// from one score. Returns nothing for other classifiers.
static std::optional<BinaryScore> getBinary(const Forest &forest, size_t numLabels,
                                            StringRef transform) {
  const auto &weights = forest.weights;
  int32_t target = weights.front().target;
  bool hasOne =
      llvm::all_of(weights, [&](const Forest::Weight &weight) { return weight.target == target; });
  if (numLabels != 2 || !hasOne)
    return std::nullopt;
  bool isProbability =
      llvm::all_of(weights, [](const Forest::Weight &weight) { return weight.value >= 0; });
  return BinaryScore{isProbability, target == 1, transform == "LOGISTIC"};
}

static FailureOr<Tensors> buildClassifier(Builder &builder, const Node &node) {
  FailureOr<ClassLabels> labels =
      getLabels(builder, node, "classlabels_int64s", "classlabels_strings");
  if (failed(labels))
    return failure();
  FailureOr<Forest> forest = readForest(builder, node, "class");
  FailureOr<SmallVector<double>> base = getNumbers(builder, node, "base_values");
  if (failed(forest) || failed(base))
    return failure();
  if (labels->size() == 0 || forest->weights.empty())
    return builder.error("expected class labels and weights");
  StringRef transform = node.getString("post_transform", "NONE");
  std::optional<BinaryScore> binary = getBinary(*forest, labels->size(), transform);
  if (binary) {
    bool hasBase = base->size() > (binary->isOfSecond ? 0 : 1);
    if (hasBase || (transform != "NONE" && transform != "LOGISTIC"))
      return builder.unsupported("base_values of a class without weights, or post_transform '" +
                                 Twine(transform) + "', where one class has weights");
    for (Forest::Weight &weight : forest->weights)
      weight.target = 0;
  }
  forest->numTargets = binary ? 1 : labels->size();
  FailureOr<Tensor> scores = evaluateForest(builder, node.inputs[0], *forest);
  if (failed(scores))
    return failure();
  scores = builder.cast(*scores, DType::F32);
  if (failed(scores))
    return failure();
  scores = addToColumns(builder, *scores, *base);
  if (failed(scores))
    return failure();
  if (binary)
    return finishBinary(builder, *binary, *scores, *labels);
  FailureOr<Tensor> label = chooseLabels(builder, *scores, *labels);
  FailureOr<Tensor> transformed = transformScores(builder, transform, *scores);
  if (failed(label) || failed(transformed))
    return failure();
  return Tensors{*label, *transformed};
}

//===----------------------------------------------------------------------===//
// TreeEnsemble
//===----------------------------------------------------------------------===//

namespace {
/// Reads the attributes of a TreeEnsemble. In the forest, inner nodes come first, then leaves.
struct EnsembleReader {
  Builder &builder;
  const Node &node;
  SmallVector<int64_t> features = node.getInts("nodes_featureids"),
                       yes = node.getInts("nodes_truenodeids"),
                       no = node.getInts("nodes_falsenodeids"),
                       yesIsLeaf = node.getInts("nodes_trueleafs"),
                       noIsLeaf = node.getInts("nodes_falseleafs"),
                       missing = node.getInts("nodes_missing_value_tracks_true"),
                       targets = node.getInts("leaf_targetids");
  SmallVector<double> splits = {}, modes = {}, weights = {}, members = {};

  static constexpr double isMember = 6;

  LogicalResult readTensors() {
    for (auto [name, values] :
         {std::pair("nodes_splits", &splits), std::pair("nodes_modes", &modes),
          std::pair("leaf_weights", &weights), std::pair("membership_values", &members)}) {
      FailureOr<SmallVector<double>> numbers = getNumbers(builder, node, name);
      if (failed(numbers))
        return failure();
      *values = *numbers;
    }
    size_t count = features.size();
    if (missing.empty())
      missing.assign(count, 0);
    if (failed(requireLength(builder, splits.size(), count, "nodes_splits")) ||
        failed(requireLength(builder, modes.size(), count, "nodes_modes")) ||
        failed(requireLength(builder, yes.size(), count, "nodes_truenodeids")) ||
        failed(requireLength(builder, no.size(), count, "nodes_falsenodeids")) ||
        failed(requireLength(builder, yesIsLeaf.size(), count, "nodes_trueleafs")) ||
        failed(requireLength(builder, noIsLeaf.size(), count, "nodes_falseleafs")) ||
        failed(requireLength(builder, missing.size(), count, "nodes_missing_value_tracks_true")) ||
        failed(requireLength(builder, targets.size(), weights.size(), "leaf_targetids")))
      return failure();
    if (!areIndexes(features) || !areIndexes(targets) || !areIndexes(yes) || !areIndexes(no))
      return builder.error("expected features, targets and nodes that are not negative");
    return success();
  }

  void addNode(Forest &forest, int64_t feature, double split, int64_t mode, int32_t ifYes,
               int32_t ifNo, bool missingIsYes) {
    forest.feature.push_back(feature);
    forest.threshold.push_back(split);
    forest.mode.push_back(mode);
    forest.yes.push_back(ifYes);
    forest.no.push_back(ifNo);
    forest.missingIsYes.push_back(missingIsYes);
  }

  /// Returns the members of the next set. A NaN marks the end of a set.
  FailureOr<SmallVector<double>> takeSet(size_t &next) {
    SmallVector<double> set;
    for (; next < members.size() && !std::isnan(members[next]); ++next)
      set.push_back(members[next]);
    ++next;
    if (set.empty())
      return builder.error("expected a set of membership_values per node of mode BRANCH_MEMBER");
    return set;
  }

  /// Reads the forest. A node that tests membership in a set becomes a chain of nodes, each of
  /// which compares with one member. The first node of the chain has the index of the original
  /// node; the other nodes come after the leaves.
  FailureOr<Forest> read() {
    if (failed(readTensors()))
      return failure();
    Forest forest;
    int32_t count = features.size(), numLeaves = weights.size();
    auto child = [&](int64_t number, int64_t isLeaf) {
      int64_t limit = isLeaf ? numLeaves : count;
      return static_cast<int32_t>(number >= limit ? -1 : isLeaf ? count + number : number);
    };
    struct Chain {
      int32_t head, feature, ifYes, ifNo;
      bool missingIsYes;
      SmallVector<double> rest;
    };
    std::vector<Chain> chains;
    size_t next = 0;
    for (int32_t i = 0; i < count; ++i) {
      int32_t ifYes = child(yes[i], yesIsLeaf[i]), ifNo = child(no[i], noIsLeaf[i]);
      if (ifYes < 0 || ifNo < 0)
        return builder.error("a child of node " + Twine(i) + " does not exist");
      if (modes[i] != isMember) {
        if (!(modes[i] >= 0 && modes[i] <= Forest::NotEqual))
          return builder.error("node " + Twine(i) + " has an unknown mode");
        addNode(forest, features[i], splits[i], modes[i], ifYes, ifNo, missing[i] != 0);
        continue;
      }
      FailureOr<SmallVector<double>> set = takeSet(next);
      if (failed(set))
        return failure();
      addNode(forest, features[i], set->front(), Forest::Equal, ifYes, ifNo, missing[i] != 0);
      chains.push_back({i, static_cast<int32_t>(features[i]), ifYes, ifNo, missing[i] != 0,
                        SmallVector<double>(ArrayRef<double>(*set).drop_front())});
    }
    for (int32_t i = 0; i < numLeaves; ++i) {
      addNode(forest, 0, 0, Forest::Leaf, count + i, count + i, false);
      forest.weights.push_back({count + i, static_cast<int32_t>(targets[i]), weights[i]});
    }
    for (const Chain &chain : chains) {
      int32_t last = chain.head;
      for (double member : chain.rest) {
        forest.no[last] = forest.feature.size();
        last = forest.feature.size();
        addNode(forest, chain.feature, member, Forest::Equal, chain.ifYes, chain.ifNo,
                chain.missingIsYes);
      }
    }
    for (int64_t root : node.getInts("tree_roots"))
      forest.roots.push_back(root >= 0 && root < count ? static_cast<int32_t>(root) : -1);
    return forest;
  }
};
} // namespace

static FailureOr<Tensors> buildEnsemble(Builder &builder, const Node &node) {
  static const StringRef transforms[] = {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"};
  static const Forest::Aggregate aggregates[] = {Forest::Average, Forest::Sum, Forest::Min,
                                                 Forest::Max};
  int64_t aggregate = node.getInt("aggregate_function", 1);
  int64_t transform = node.getInt("post_transform", 0);
  if (aggregate < 0 || aggregate > 3 || transform < 0 || transform > 4)
    return builder.error("unknown aggregate_function or post_transform");
  FailureOr<Forest> forest = EnsembleReader{builder, node}.read();
  if (failed(forest))
    return failure();
  forest->aggregate = aggregates[aggregate];
  forest->numTargets = node.getInt("n_targets", 1);
  FailureOr<Tensor> scores = evaluateForest(builder, node.inputs[0], *forest);
  if (failed(scores))
    return failure();
  scores = transformScores(builder, transforms[transform], *scores);
  if (failed(scores))
    return failure();
  return single(builder.cast(*scores, node.inputs[0].dtype()));
}

OperatorRows getMLTreesRows() {
  return {
      {"TreeEnsemble", Versions{5}, buildEnsemble},
      {"TreeEnsembleRegressor", buildRegressor},
      {"TreeEnsembleClassifier", buildClassifier},
  };
}

} // namespace tssa::operators
