//===- Reduction.h - reductions over axes -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_OPERATORS_ONNX_REDUCTION_H
#define TSSA_LIB_OPERATORS_ONNX_REDUCTION_H

#include "tssa/Builder/Contraction.h"
#include "tssa/Operators/ListLengths.h"

namespace tssa::operators {

/// A reduction: `term` maps each element, `combiner` combines the terms, and `finish` maps
/// the combined value. The second argument of `finish` is the number of elements.
struct ReductionKind {
  te::Combiner combiner;
  std::function<Scalar(Scalar)> term;
  std::function<Scalar(Scalar combined, Scalar count)> finish;
};

ReductionKind meanReduction();
ReductionKind maxReduction();
/// The p-norm.
ReductionKind normReduction(double p);

/// Return |x|^p, and the p-th root of a sum of such terms.
Scalar normTerm(Scalar x, double p);
Scalar normRoot(Scalar sum, double p);

/// Reduces `axes`, which are in [0, rank).
mlir::FailureOr<Tensor> reduceAxes(Builder &builder, const Tensor &input,
                                   llvm::ArrayRef<int64_t> axes, bool keepDims,
                                   const ReductionKind &kind);

/// Finds the largest or smallest of the values that `point` yields. `point` yields a value, of the
/// accumulator type of `type`, and its position, an i64. NaN counts as larger (smaller) than all
/// other values. Among equal values, the first position is taken or, if `isLast`, the last
/// position. Returns the value, if `withValue`, and then the position.
mlir::FailureOr<Tensors> reduceExtremum(Builder &builder, DType type, llvm::ArrayRef<Size> shape,
                                        const ReducedDims &reduced, bool isMax, bool isLast,
                                        ElementFn point, bool withValue);

/// Returns a list of known length with the axes that `axes` has at run time. Returns `axes`
/// itself if there is no such list; the operator then refuses it.
mlir::FailureOr<Tensor> settleReducedAxes(Builder &builder, const NodeFacts &facts,
                                          const Tensor &axes);

} // namespace tssa::operators

#endif // TSSA_LIB_OPERATORS_ONNX_REDUCTION_H
