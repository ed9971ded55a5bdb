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

/// The reduction dims of a compute. A size that is known to be 1 takes no dim: its
/// index is the constant 0.
class ReducedDims {
public:
  explicit ReducedDims(unsigned numParallel) : numParallel(numParallel) {}
  /// Adds a size and returns the slot to name it by.
  unsigned add(const Size &size);
  unsigned add(llvm::ArrayRef<Size> sizes);
  mlir::AffineExpr expr(Body &body, unsigned slot) const;
  llvm::ArrayRef<Size> sizes() const { return kept; }

private:
  unsigned numParallel;
  llvm::SmallVector<int> dims; ///< per slot: its dim, -1 for none
  llvm::SmallVector<Size> kept;
};

/// An element of a reduction, of the accumulator's type, and what is made of all.
using TermFn = llvm::function_ref<Scalar(Body &)>;
using JoinedFn = llvm::function_ref<Scalar(Body &, Scalar)>;

/// `term` over all of `reduced`, joined by `combiner` in `accumulator` and converted
/// to `type` after `epilogue`. Where no reduction dim is left it is no reduction.
mlir::FailureOr<Tensor> join(Builder &builder, te::Combiner combiner, DType accumulator, DType type,
                             llvm::ArrayRef<Size> shape, const ReducedDims &reduced, TermFn term,
                             JoinedFn epilogue = nullptr);

/// The same for a sum.
mlir::FailureOr<Tensor> sum(Builder &builder, DType accumulator, DType type,
                            llvm::ArrayRef<Size> shape, const ReducedDims &reduced, TermFn term,
                            JoinedFn epilogue = nullptr);

/// The matrix product of numpy.matmul; `left` and `right` convert an element to
/// `accumulator`.
struct MatMulOptions {
  DType accumulator, result;
  std::function<Scalar(Body &, Scalar, mlir::AffineExpr row)> left;
  std::function<Scalar(Body &, Scalar, mlir::AffineExpr column)> right;
  std::function<Scalar(Body &, Scalar, llvm::ArrayRef<mlir::AffineExpr> at)> epilogue;
};
mlir::FailureOr<Tensor> matmul(Builder &builder, const Tensor &a, const Tensor &b,
                               const MatMulOptions &options);

/// The matrix product of tensors of one type.
mlir::FailureOr<Tensor> matmul(Builder &builder, const Tensor &a, const Tensor &b);

} // namespace tssa::operators

#endif // TSSA_BUILDER_CONTRACTION_H
