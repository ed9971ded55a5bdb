//===- SupportVectors.cpp - regression and classification by support vectors -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/Families.h"
#include "lib/Operators/ML/ClassProbabilities.h"
#include "lib/Operators/ML/Rows.h"
#include "lib/Operators/ML/Scores.h"
#include "tssa/Builder/Contraction.h"
#include "tssa/Builder/Elements.h"
#include <cmath>

using namespace mlir;

namespace tssa::operators {

/// Returns x to the power of `degree`. If `degree` is a small integer, computes the power by
/// products.
static Scalar raise(const Scalar &x, double degree) {
  constexpr double mostProducts = 4;
  if (!(degree >= 1 && degree <= mostProducts && degree == std::floor(degree)))
    return power(x, x.constant(degree));
  Scalar result = x;
  for (int i = 1; i < degree; ++i)
    result = result * x;
  return result;
}

/// Applies the kernel function that the attributes define to each row of `x` with each row of `m`.
/// The result has the shape [rows of x, rows of m].
static FailureOr<Tensor> applyKernel(Builder &builder, const Node &node, const Tensor &x,
                                     const Tensor &m) {
  StringRef kind = node.getString("kernel_type", "LINEAR");
  SmallVector<double> parameters = node.getFloats("kernel_params", {0, 0, 0});
  if (parameters.size() != 3)
    return builder.error("expected gamma, coef0 and degree in 'kernel_params'");
  double gamma = parameters[0], offset = parameters[1], degree = parameters[2];
  if (kind != "LINEAR" && kind != "POLY" && kind != "RBF" && kind != "SIGMOID")
    return builder.error("unknown kernel_type '" + Twine(kind) + "'");
  ReducedDims reduced(2);
  unsigned slot = reduced.add(x.dim(1));
  auto finish = [&](Body &, Scalar total) {
    if (kind == "RBF")
      return exp(-gamma * total);
    total = gamma * total + offset;
    return kind == "SIGMOID" ? tanh(total) : raise(total, degree);
  };
  return sum(
      builder, DType::F32, DType::F32, {x.dim(0), m.dim(0)}, reduced,
      [&](Body &body) {
        AffineExpr k = reduced.expr(body, slot);
        Scalar a = readScalar(body, x, {body.dim(0), k}), b = readScalar(body, m, {body.dim(1), k});
        Scalar distance = a - b;
        return kind == "RBF" ? distance * distance : a * b;
      },
      kind == "LINEAR" ? EpilogueFn() : EpilogueFn(finish));
}

static FailureOr<Tensors> buildSVMRegressor(Builder &builder, const Node &node) {
  FailureOr<Tensor> x = getRows(builder, node.inputs[0]);
  SmallVector<double> rho = node.getFloats("rho"), weights = node.getFloats("coefficients");
  int64_t supports = node.getInt("n_supports", 0);
  if (failed(x))
    return failure();
  if (rho.size() != 1)
    return builder.error("expected one element of 'rho', got " + Twine(rho.size()));
  FailureOr<Tensor> scores;
  if (supports > 0) {
    FailureOr<Tensor> vectors =
        makeMatrix(builder, *x, node.getFloats("support_vectors"), supports, "support_vectors");
    if (failed(vectors))
      return failure();
    FailureOr<Tensor> kernel = applyKernel(builder, node, *x, *vectors);
    if (failed(kernel))
      return failure();
    FailureOr<Tensor> row = makeMatrix(builder, *kernel, weights, 1, "coefficients");
    if (failed(row))
      return failure();
    scores = multiplyRows(builder, *kernel, *row);
  } else {
    FailureOr<Tensor> row = makeMatrix(builder, *x, weights, 1, "coefficients");
    if (failed(row))
      return failure();
    scores = applyKernel(builder, node, *x, *row);
  }
  if (failed(scores))
    return failure();
  scores = addToColumns(builder, *scores, rho);
  if (failed(scores))
    return failure();
  if (node.getInt("one_class", 0))
    return single(builder.compute(DType::F32, scores->shape(), [&](Body &body) {
      Scalar score = readScalar(body, *scores, body.dims(0, 2));
      return select(score > 0.0, score.constant(1), score.constant(-1)).getValue();
    }));
  return single(transformScores(builder, node.getString("post_transform", "NONE"), *scores));
}

//===----------------------------------------------------------------------===//
// Classes against each other
//===----------------------------------------------------------------------===//

namespace {
/// One classifier for each pair of classes, in the order (0,1), (0,2), ... (1,2), ...
struct Pairs {
  /// The two classes of each pair.
  SmallVector<int32_t> first, second;
  int64_t numClasses;

  explicit Pairs(int64_t numClasses) : numClasses(numClasses) {
    for (int64_t i = 0; i < numClasses; ++i)
      for (int64_t j = i + 1; j < numClasses; ++j) {
        first.push_back(i);
        second.push_back(j);
      }
  }
  int64_t size() const { return first.size(); }
  Tensor table(Builder &builder, ArrayRef<int32_t> classes) const {
    return makeIntVector(builder, DType::I32, llvm::to_vector_of<int64_t>(classes));
  }
};
} // namespace

/// Returns the weights of the support vectors for each pair: [pairs, vectors]. `coefficients` is a
/// matrix with a column for each vector. A vector of class c has one coefficient, in a row of its
/// own, for each class other than c.
static FailureOr<SmallVector<double>> makePairWeights(Builder &builder, const Pairs &pairs,
                                                      ArrayRef<double> coefficients,
                                                      ArrayRef<int64_t> vectorsPerClass) {
  constexpr int64_t most = int64_t(1) << 27;
  int64_t vectors = coefficients.size() / (pairs.numClasses - 1);
  if (pairs.size() > most / std::max<int64_t>(vectors, 1))
    return builder.limit(Twine(pairs.size()) + " pairs of classes with " + Twine(vectors) +
                         " support vectors");
  SmallVector<double> weights(pairs.size() * vectors, 0.0);
  int64_t begin = 0;
  for (auto [owner, count] : llvm::enumerate(vectorsPerClass)) {
    for (int64_t pair = 0; pair < pairs.size(); ++pair) {
      int64_t i = pairs.first[pair], j = pairs.second[pair];
      int64_t own = owner;
      if (own != i && own != j)
        continue;
      int64_t row = own == i ? j - 1 : i;
      llvm::copy(coefficients.slice(row * vectors + begin, count),
                 weights.begin() + pair * vectors + begin);
    }
    begin += count;
  }
  return weights;
}

/// Returns the score of each pair, [rows, pairs]. A positive score is a vote for the first class of
/// the pair.
static FailureOr<Tensor> scorePairs(Builder &builder, const Node &node, const Tensor &x,
                                    const Pairs &pairs) {
  SmallVector<int64_t> perClass = node.getInts("vectors_per_class");
  SmallVector<double> coefficients = node.getFloats("coefficients"), rho = node.getFloats("rho");
  if (static_cast<int64_t>(perClass.size()) != pairs.numClasses)
    return builder.error("expected an element of 'vectors_per_class' for each of " +
                         Twine(pairs.numClasses) + " classes, got " + Twine(perClass.size()));
  int64_t vectors = 0, given = coefficients.size();
  for (int64_t count : perClass) {
    if (count < 0 || count > given)
      return builder.error("expected from 0 to " + Twine(given) +
                           " support vectors of a class, got " + Twine(count));
    vectors += count;
  }
  if (vectors != given / (pairs.numClasses - 1) || given % (pairs.numClasses - 1) != 0)
    return builder.error("expected " + Twine(pairs.numClasses - 1) + " rows of " + Twine(vectors) +
                         " 'coefficients', got " + Twine(given) + " elements");
  if (static_cast<int64_t>(rho.size()) != pairs.size())
    return builder.error("expected " + Twine(pairs.size()) + " elements of 'rho', got " +
                         Twine(rho.size()));
  FailureOr<Tensor> matrix =
      makeMatrix(builder, x, node.getFloats("support_vectors"), vectors, "support_vectors");
  if (failed(matrix))
    return failure();
  FailureOr<Tensor> kernel = applyKernel(builder, node, x, *matrix);
  FailureOr<SmallVector<double>> weights = makePairWeights(builder, pairs, coefficients, perClass);
  if (failed(kernel) || failed(weights))
    return failure();
  FailureOr<Tensor> rows = makeMatrix(builder, *kernel, *weights, pairs.size(), "coefficients");
  if (failed(rows))
    return failure();
  FailureOr<Tensor> scores = multiplyRows(builder, *kernel, *rows);
  if (failed(scores))
    return failure();
  return addToColumns(builder, *scores, rho);
}

/// Returns the number of pairs that each class wins: [rows, classes].
static FailureOr<Tensor> countVotes(Builder &builder, const Tensor &scores, const Pairs &pairs) {
  Tensor first = pairs.table(builder, pairs.first), second = pairs.table(builder, pairs.second);
  ReducedDims reduced(2);
  unsigned slot = reduced.add(Size(pairs.size()));
  return sum(builder, DType::F32, DType::F32, {scores.dim(0), Size(pairs.numClasses)}, reduced,
             [&](Body &body) {
               AffineExpr pair = reduced.expr(body, slot);
               Scalar score = readScalar(body, scores, {body.dim(0), pair});
               Scalar winner = select(score > 0.0, readScalar(body, first, pair),
                                      readScalar(body, second, pair));
               Scalar isWinner = winner == indexScalar(body, body.dim(1), DType::I32);
               return select(isWinner, score.constant(1), score.constant(0));
             });
}

/// Returns the scores of both classes, given the score of the only pair.
static FailureOr<Tensor> splitScore(Builder &builder, StringRef transform, const Tensor &score) {
  if (transform == "PROBIT")
    return builder.unsupported("post_transform 'PROBIT' of one score");
  return builder.compute(DType::F32, {score.dim(0), Size(2)}, [&](Body &body) {
    Scalar x = readScalar(body, score, {body.dim(0), body.constantExpr(0)});
    Scalar other = transform == "NONE" || transform == "LOGISTIC" ? -x : 1.0 - x;
    Scalar chosen = select(indexScalar(body, body.dim(1), DType::I64) == 0.0, other, x);
    return (transform == "LOGISTIC" ? sigmoid(chosen) : chosen).getValue();
  });
}

/// Returns [rows, classes, classes]: for each row d0, the probability that class d1 wins against
/// class d2. A probability is Platt's sigmoid of the score of a pair.
static FailureOr<Tensor> winningChances(Builder &builder, const Node &node, const Tensor &scores,
                                        const Pairs &pairs) {
  SmallVector<double> a = node.getFloats("prob_a"), b = node.getFloats("prob_b");
  if (static_cast<int64_t>(a.size()) != pairs.size() || b.size() != a.size())
    return builder.error("expected " + Twine(pairs.size()) +
                         " elements of 'prob_a' and 'prob_b', got " + Twine(a.size()) + " and " +
                         Twine(b.size()));
  SmallVector<int64_t> numbers(pairs.numClasses * pairs.numClasses, 0);
  for (int64_t pair = 0; pair < pairs.size(); ++pair)
    for (auto [i, j] : {std::pair(pairs.first[pair], pairs.second[pair]),
                        std::pair(pairs.second[pair], pairs.first[pair])})
      numbers[i * pairs.numClasses + j] = pair;
  Tensor number =
      builder.constant(DType::I64, fromInts(builder.context(), DType::I64,
                                            {pairs.numClasses, pairs.numClasses}, numbers));
  Tensor slopes = makeVector(builder, DType::F32, a), offsets = makeVector(builder, DType::F32, b);
  return builder.compute(
      DType::F32, {scores.dim(0), Size(pairs.numClasses), Size(pairs.numClasses)}, [&](Body &body) {
        AffineExpr pair = body.opaque(toIndex(readScalar(body, number, body.dims(1, 3))));
        Scalar score = readScalar(body, scores, {body.dim(0), pair});
        Scalar chance =
            sigmoid(-(score * readScalar(body, slopes, pair) + readScalar(body, offsets, pair)));
        chance = min(max(chance, chance.constant(1e-7)), chance.constant(1 - 1e-7));
        Scalar i = indexScalar(body, body.dim(1), DType::I64);
        return select(i < indexScalar(body, body.dim(2), DType::I64), chance, 1.0 - chance)
            .getValue();
      });
}

/// Builds a classifier that has no support vectors. It returns the label of the greatest score.
/// With two classes and without the attribute 'prob_a', it returns the second label whenever the
/// greatest score reaches a bound.
static FailureOr<Tensors> classifyLinearly(Builder &builder, const Node &node, const Tensor &x,
                                           const ClassLabels &labels) {
  SmallVector<double> weights = node.getFloats("coefficients"), rho = node.getFloats("rho");
  if (rho.empty())
    return builder.error("expected an element of 'rho'");
  FailureOr<Tensor> matrix = makeMatrix(builder, x, weights, labels.size(), "coefficients");
  if (failed(matrix))
    return failure();
  FailureOr<Tensor> scores = multiplyRows(builder, x, *matrix);
  if (failed(scores))
    return failure();
  scores = addToColumns(builder, *scores, SmallVector<double>(labels.size(), rho[0]));
  if (failed(scores))
    return failure();
  FailureOr<Tensor> label = chooseLabels(builder, *scores, labels);
  if (failed(label))
    return failure();
  if (labels.size() == 2 && !node.has("prob_a")) {
    bool arePositive = llvm::all_of(weights, [](double weight) { return weight >= 0; });
    label = builder.compute(DType::I64, label->shape(), [&](Body &body) {
      auto read = [&](int64_t column) {
        return readScalar(body, *scores, {body.dim(0), body.constantExpr(column)});
      };
      Scalar greatest = max(read(0), read(1));
      Scalar chosen = readScalar(body, *label, body.dim(0));
      return select(arePositive ? greatest >= 0.5 : greatest > 0.0,
                    chosen.constant(labels.numbers[1]), chosen)
          .getValue();
    });
    if (succeeded(label))
      label = labels.give(*label);
  }
  FailureOr<Tensor> transformed =
      transformScores(builder, node.getString("post_transform", "NONE"), *scores);
  if (failed(label) || failed(transformed))
    return failure();
  return Tensors{*label, *transformed};
}

static FailureOr<Tensors> buildSVMClassifier(Builder &builder, const Node &node) {
  FailureOr<ClassLabels> labels =
      getLabels(builder, node, "classlabels_ints", "classlabels_strings");
  FailureOr<Tensor> x = getRows(builder, node.inputs[0]);
  if (failed(labels) || failed(x))
    return failure();
  if (labels->size() < 2)
    return builder.unsupported("a classifier of " + Twine(labels->size()) + " classes");
  if (llvm::all_of(node.getInts("vectors_per_class"), [](int64_t count) { return count == 0; }))
    return classifyLinearly(builder, node, *x, *labels);
  constexpr size_t mostClasses = 1 << 12; // tables have an entry per pair
  if (labels->size() > mostClasses)
    return builder.limit(Twine(labels->size()) + " classes against each other");
  Pairs pairs(labels->size());
  FailureOr<Tensor> scores = scorePairs(builder, node, *x, pairs);
  if (failed(scores))
    return failure();
  FailureOr<Tensor> votes = countVotes(builder, *scores, pairs);
  if (failed(votes))
    return failure();
  FailureOr<Tensor> label = chooseLabels(builder, *votes, *labels);
  StringRef transform = node.getString("post_transform", "NONE");
  if (!node.getFloats("prob_a").empty()) {
    FailureOr<Tensor> chances = winningChances(builder, node, *scores, pairs);
    if (failed(chances))
      return failure();
    scores = findClassProbabilities(builder, *chances, pairs.numClasses);
    if (succeeded(scores))
      scores = transformScores(builder, transform, *scores);
  } else {
    scores = pairs.size() == 1 ? splitScore(builder, transform, *scores)
                               : transformScores(builder, transform, *scores);
  }
  if (failed(label) || failed(scores))
    return failure();
  return Tensors{*label, *scores};
}

OperatorRows getMLSupportVectorsRows() {
  return {
      {"SVMRegressor", buildSVMRegressor},
      {"SVMClassifier", buildSVMClassifier},
  };
}

} // namespace tssa::operators
