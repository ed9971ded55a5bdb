//===- Scores.h - from scores to results of classifiers -===//
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

/// `scores` [rows, classes] after the function that `transform`, such as LOGISTIC, names.
mlir::FailureOr<Tensor> transformScores(Builder &builder, llvm::StringRef transform,
                                        const Tensor &scores);

/// The labels of a classifier: its attribute `ints`. Strings, those of `strings`, are refused.
mlir::FailureOr<llvm::SmallVector<int64_t>>
getIntLabels(Builder &builder, const Node &node, llvm::StringRef ints, llvm::StringRef strings);

/// For each row of `scores` [rows, classes] the label of the greatest: i64 [rows].
mlir::FailureOr<Tensor> chooseLabels(Builder &builder, const Tensor &scores,
                                     llvm::ArrayRef<int64_t> labels);

/// `labels[index]` of i64 indexes [rows].
mlir::FailureOr<Tensor> lookUpLabels(Builder &builder, const Tensor &indexes,
                                     llvm::ArrayRef<int64_t> labels);

/// `values` added to the columns of `scores`.
mlir::FailureOr<Tensor> addToColumns(Builder &builder, const Tensor &scores,
                                     llvm::ArrayRef<double> values);

/// A 1-D constant of type `type`, floats or integers.
Tensor makeVector(Builder &builder, DType type, llvm::ArrayRef<double> values);
Tensor makeIntVector(Builder &builder, DType type, llvm::ArrayRef<int64_t> values);

} // namespace tssa::operators

#endif // TSSA_LIB_OPERATORS_ML_SCORES_H
