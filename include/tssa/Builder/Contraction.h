//===- Contraction.h - sums of products -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_BUILDER_CONTRACTION_H
#define TSSA_BUILDER_CONTRACTION_H

#include "tssa/Builder/BodyScalar.h"

namespace tssa::operators {

/// The reduction dims of a compute. A size that is known to be 1 gets no dim; its index is
/// the constant 0.
class ReducedDims {
public:
  explicit ReducedDims(unsigned numParallel) : numParallel(numParallel) {}
  /// Adds a size and returns its slot, which `expr` takes as an argument.
  unsigned add(const Size &size);
  unsigned add(llvm::ArrayRef<Size> sizes);
  mlir::AffineExpr expr(Body &body, unsigned slot) const;
  llvm::ArrayRef<Size> sizes() const { return kept; }

private:
  unsigned numParallel;
  llvm::SmallVector<int> dims; ///< for each slot, its dim; -1 if it has no dim
  llvm::SmallVector<Size> kept;
};

/// Returns the term of a reduction at one point, as a scalar of the accumulator's type.
using TermFn = llvm::function_ref<Scalar(Body &)>;
using EpilogueFn = llvm::function_ref<Scalar(Body &, Scalar)>;

/// Combines `term` over all points of `reduced` by `combiner`, in an accumulator of type
/// `accumulator`. Then applies `epilogue` and converts the result to `type`. If `reduced` has no
/// dims, the te.compute has no reduction.
mlir::FailureOr<Tensor> combine(Builder &builder, te::Combiner combiner, DType accumulator,
                                DType type, llvm::ArrayRef<Size> shape, const ReducedDims &reduced,
                                TermFn term, EpilogueFn epilogue = nullptr);

/// Sums `term` over all points of `reduced`, as `combine` does.
mlir::FailureOr<Tensor> sum(Builder &builder, DType accumulator, DType type,
                            llvm::ArrayRef<Size> shape, const ReducedDims &reduced, TermFn term,
                            EpilogueFn epilogue = nullptr);

/// Options of a matrix product. `left` and `right` convert an element of the left and of the right
/// operand to `accumulator`. `epilogue` maps the sum to the element of the result at `at`; it may
/// be null.
struct MatMulOptions {
  DType accumulator, result;
  std::function<Scalar(Body &, Scalar, mlir::AffineExpr row)> left;
  std::function<Scalar(Body &, Scalar, mlir::AffineExpr column)> right;
  std::function<Scalar(Body &, Scalar, llvm::ArrayRef<mlir::AffineExpr> at)> epilogue;
};
/// Returns the matrix product of `a` and `b` with the shapes of numpy.matmul.
mlir::FailureOr<Tensor> matmul(Builder &builder, const Tensor &a, const Tensor &b,
                               const MatMulOptions &options);

/// Returns the matrix product of `a` and `b`, which have the same element type.
mlir::FailureOr<Tensor> matmul(Builder &builder, const Tensor &a, const Tensor &b);

} // namespace tssa::operators

#endif // TSSA_BUILDER_CONTRACTION_H
