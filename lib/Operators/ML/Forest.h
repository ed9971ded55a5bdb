//===- Forest.h - decision trees as tables -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// All nodes of all trees are rows of a few constant tables; a leaf is its own child. A node
/// may have several parents. A loop moves all rows of the input one step on in all trees, as
/// often as the deepest tree needs, and the weights of the leaves it ends at are joined.
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

  /// What a node, a leaf, adds to a target.
  struct Weight {
    int32_t node, target;
    double value;
  };
  std::vector<Weight> weights;
  int64_t numTargets = 0;
  Aggregate aggregate = Sum;
};

/// A mode by its name in a model, such as BRANCH_LEQ.
std::optional<Forest::Mode> parseTreeMode(llvm::StringRef name);
std::optional<Forest::Aggregate> parseAggregate(llvm::StringRef name);

/// Steps from a root to the farthest leaf; an error if a child does not exist or is above
/// its parent, or no root leads to a node.
mlir::FailureOr<int64_t> measureDepth(Builder &builder, const Forest &forest);

/// The joined weights of the leaves for the rows of x [rows, features]: [rows, targets]. A
/// target that no leaf of a row gives a weight is 0.
mlir::FailureOr<Tensor> evaluateForest(Builder &builder, const Tensor &x, const Forest &forest);

} // namespace tssa::operators

#endif // TSSA_LIB_OPERATORS_ML_FOREST_H
