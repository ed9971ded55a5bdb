//===- Scores.h - scores and labels of classifiers -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_OPERATORS_ML_SCORES_H
#define TSSA_LIB_OPERATORS_ML_SCORES_H

#include "tssa/Builder/BodyScalar.h"
#include "tssa/Operators/Node.h"

namespace tssa::operators {

/// Applies the function named `transform`, such as LOGISTIC, to `scores` [rows, classes].
mlir::FailureOr<Tensor> transformScores(Builder &builder, llvm::StringRef transform,
                                        const Tensor &scores);

/// The labels of a classifier: numbers, or strings with their indexes as numbers.
struct ClassLabels {
  llvm::SmallVector<int64_t> numbers;
  std::shared_ptr<const Labels> strings; ///< or null
  size_t size() const { return numbers.size(); }
  /// Returns `labels`, a tensor of numbers of this list, as a tensor of what they stand for.
  Tensor give(const Tensor &labels) const { return strings ? labels.withStrings(strings) : labels; }
};

/// Returns the labels of a classifier: the integers of the attribute named `ints`, or the strings
/// of the attribute named `strings`. Fails if the node has both.
mlir::FailureOr<ClassLabels> getLabels(Builder &builder, const Node &node, llvm::StringRef ints,
                                       llvm::StringRef strings);

/// Returns for each row of `scores` [rows, classes] the label of the greatest score: [rows].
mlir::FailureOr<Tensor> chooseLabels(Builder &builder, const Tensor &scores,
                                     const ClassLabels &labels);

/// Returns the label with number i for each index i in `indexes`, i64 [rows].
mlir::FailureOr<Tensor> lookUpLabels(Builder &builder, const Tensor &indexes,
                                     const ClassLabels &labels);

/// Adds `values`, which has one number per column, to each row of `scores`.
mlir::FailureOr<Tensor> addToColumns(Builder &builder, const Tensor &scores,
                                     llvm::ArrayRef<double> values);

/// Return a 1-D constant of type `type`, given its elements as floats or as integers.
Tensor makeVector(Builder &builder, DType type, llvm::ArrayRef<double> values);
Tensor makeIntVector(Builder &builder, DType type, llvm::ArrayRef<int64_t> values);

/// Returns a 1-D tensor of these strings.
Tensor makeStringVector(Builder &builder, std::vector<std::string> strings);

} // namespace tssa::operators

#endif // TSSA_LIB_OPERATORS_ML_SCORES_H
