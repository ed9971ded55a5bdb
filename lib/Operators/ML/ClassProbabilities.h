//===- ClassProbabilities.h - probabilities of classes from those of pairs -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_OPERATORS_ML_CLASSPROBABILITIES_H
#define TSSA_LIB_OPERATORS_ML_CLASSPROBABILITIES_H

#include "tssa/Operators/Node.h"

namespace tssa::operators {

/// For each row the probabilities of the classes that agree best with `chances` [rows, classes,
/// classes], the probability of class d1 when it is known to be d1 or d2: [rows, classes]. They
/// are those of the second method of Wu, Lin and Weng (2004), iterated as libsvm does.
mlir::FailureOr<Tensor> findClassProbabilities(Builder &builder, const Tensor &chances,
                                               int64_t numClasses);

} // namespace tssa::operators

#endif // TSSA_LIB_OPERATORS_ML_CLASSPROBABILITIES_H
