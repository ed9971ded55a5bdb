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

/// What is joined, how, and what is made of it. `finish` also gets the number of
/// elements.
struct ReductionKind {
  te::Combiner combiner;
  std::function<Scalar(Scalar)> term;
  std::function<Scalar(Scalar combined, Scalar count)> finish;
};

ReductionKind meanReduction();
ReductionKind maxReduction();
/// The p-norm.
ReductionKind normReduction(double p);

/// |x|^p and its inverse on a sum of these.
Scalar normTerm(Scalar x, double p);
Scalar normRoot(Scalar sum, double p);

/// Reduces `axes`, which are in [0, rank).
mlir::FailureOr<Tensor> reduceAxes(Builder &builder, const Tensor &input,
                                   llvm::ArrayRef<int64_t> axes, bool keepDims,
                                   const ReductionKind &kind);

/// The largest (smallest) of the pairs (value, position) that `point` yields: NaN is
/// larger (smaller) than all, and of equal values the first or last position counts.
/// `point` yields the value in the accumulator of `type` and an i64. Results are the
/// value, if asked for, and the position.
mlir::FailureOr<Tensors> reduceExtremum(Builder &builder, DType type, llvm::ArrayRef<Size> shape,
                                        const ReducedDims &reduced, bool isMax, bool isLast,
                                        ElementFn point, bool withValue);

/// A list of known length with the axes that `axes` names when the program runs. `axes` itself
/// where no such list exists: the operator refuses it.
mlir::FailureOr<Tensor> settleReducedAxes(Builder &builder, const NodeFacts &facts,
                                          const Tensor &axes);

} // namespace tssa::operators

#endif // TSSA_LIB_OPERATORS_ONNX_REDUCTION_H
