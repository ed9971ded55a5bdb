//===- Forest.h - decision trees as tables -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The nodes of all trees are rows of a constant table. A leaf is its own child, and a
/// node may have several parents. In each iteration of a loop, every row of the input moves in
/// every tree from a node to a child. The number of iterations is the depth of the deepest tree.
/// After the loop, the weights of the leaves that a row has reached are combined.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_OPERATORS_ML_FOREST_H
#define TSSA_LIB_OPERATORS_ML_FOREST_H

#include "tssa/Builder/BodyScalar.h"
#include "tssa/Operators/Node.h"

namespace tssa::operators {

struct Forest {
  enum Mode : uint8_t { LessEqual, Less, GreaterEqual, Greater, Equal, NotEqual, Leaf };
  enum Aggregate { Sum, Average, Min, Max };

  // One element per node.
  std::vector<int32_t> feature, yes, no;
  std::vector<double> threshold;
  std::vector<uint8_t> mode, missingIsYes;
  // One per tree.
  std::vector<int32_t> roots;

  /// The weight that leaf `node` contributes to a target.
  struct Weight {
    int32_t node, target;
    double value;
  };
  std::vector<Weight> weights;
  int64_t numTargets = 0;
  Aggregate aggregate = Sum;
};

/// Returns the mode whose name in ONNX is `name`, such as BRANCH_LEQ.
std::optional<Forest::Mode> parseTreeMode(llvm::StringRef name);
std::optional<Forest::Aggregate> parseAggregate(llvm::StringRef name);

/// Returns the greatest number of steps from a root to a leaf. Fails if a child does not exist or
/// is an ancestor of its parent, or if a node cannot be reached from a root.
mlir::FailureOr<int64_t> measureDepth(Builder &builder, const Forest &forest);

/// For each row of `x` [rows, features], returns the combined weights of the leaves that the row
/// reaches: [rows, targets]. The result for a target to which no leaf contributes is 0.
mlir::FailureOr<Tensor> evaluateForest(Builder &builder, const Tensor &x, const Forest &forest);

} // namespace tssa::operators

#endif // TSSA_LIB_OPERATORS_ML_FOREST_H
