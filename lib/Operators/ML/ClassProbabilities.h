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

/// Returns for each row the probabilities of the classes, [rows, classes]. `chances` [rows,
/// classes, classes] has at [d0, d1, d2] the probability of class d1, given that the class is d1
/// or d2. The result fits these pairwise probabilities best in the sense of the second method of
/// Wu, Lin and Weng (2004), which is iterated as in libsvm.
mlir::FailureOr<Tensor> findClassProbabilities(Builder &builder, const Tensor &chances,
                                               int64_t numClasses);

} // namespace tssa::operators

#endif // TSSA_LIB_OPERATORS_ML_CLASSPROBABILITIES_H
