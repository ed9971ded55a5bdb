//===- ClassProbabilities.h - class probabilities from pairwise ones -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_OPERATORS_ML_CLASSPROBABILITIES_H
#define TSSA_LIB_OPERATORS_ML_CLASSPROBABILITIES_H

#include "tssa/Operators/Node.h"

namespace tssa::operators {

/// Returns the probabilities of the classes of each row, [rows, classes]. `chances` is [rows,
/// classes, classes]; its element [d0, d1, d2] is the probability that row d0 has class d1, given
/// that its class is d1 or d2. The result fits these pairwise probabilities best in the sense of
/// the second method of Wu, Lin and Weng (2004). The computation is the iteration of libsvm.
mlir::FailureOr<Tensor> findClassProbabilities(Builder &builder, const Tensor &chances,
                                               int64_t numClasses);

} // namespace tssa::operators

#endif // TSSA_LIB_OPERATORS_ML_CLASSPROBABILITIES_H
