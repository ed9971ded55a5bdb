//===- ComputeEvaluator.h - evaluate te.compute -----------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_REFERENCE_COMPUTEEVALUATOR_H
#define LIB_REFERENCE_COMPUTEEVALUATOR_H

#include "BodyCompiler.h"

namespace tssa::reference {

/// Evaluates one te.compute, at all points or at single ones.
class ComputeEvaluator {
public:
  /// `sizes` are those of the iteration domain. With `wideSums`, float accumulators are not
  /// rounded. If `sumMagnitude` is given, it becomes the maximum of its old value and the largest
  /// sum of magnitudes of a float reduction.
  ComputeEvaluator(mlir::tssa::te::ComputeOp op, Environment environment,
                   llvm::ArrayRef<int64_t> sizes, bool wideSums, double *sumMagnitude);

  /// Compiles all bodies. The environment is not used after this.
  llvm::Error compile();
  /// Evaluates all points. Must be called after `compile`.
  llvm::Expected<llvm::SmallVector<HostTensor>> run();
  /// Evaluates the point with this position in row-major order. Returns one value for each result;
  /// they have yet to be rounded to the types of the results. Must be called after `compile`.
  llvm::Expected<llvm::SmallVector<Scalar>> runAt(int64_t element);

  llvm::ArrayRef<int64_t> getParallelSizes() const { return parallelSizes; }
  llvm::ArrayRef<int64_t> getReductionSizes() const { return reductionSizes; }

private:
  struct Piece {
    BodyProgram membership;
    Condition where;
    BodyProgram body;
    llvm::SmallVector<Register> yielded;
  };

  llvm::Expected<llvm::SmallVector<HostTensor>> makeResults() const;
  llvm::Error compileCombiner(Piece &piece);
  /// Evaluates the current point and returns the registers of its values.
  llvm::Expected<llvm::ArrayRef<Register>> evaluatePoint();
  llvm::Expected<Piece *> findPiece();
  std::string describePoint() const;

  mlir::tssa::te::ComputeOp op;
  RegisterFile machine;
  BodyCompiler compiler;
  llvm::SmallVector<int64_t> parallelSizes, reductionSizes;
  bool wideSums;
  /// Receives the largest sum of magnitudes; may be null.
  double *sumMagnitude;
  Register magnitude = 0;
  llvm::SmallVector<Piece, 1> pieces;
  BodyProgram epilogue;
  llvm::SmallVector<Register> accumulators;
  llvm::SmallVector<Scalar> init;
  llvm::SmallVector<ElementKind> accumulatorKinds;
  llvm::SmallVector<Register> epilogueResults;
};

} // namespace tssa::reference

#endif // LIB_REFERENCE_COMPUTEEVALUATOR_H
