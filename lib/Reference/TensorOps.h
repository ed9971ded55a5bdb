//===- TensorOps.h - evaluate te ops ---------------------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_REFERENCE_TENSOROPS_H
#define LIB_REFERENCE_TENSOROPS_H

#include "BodyCompiler.h"

namespace tssa::reference {

/// Evaluates a te.compute, te.update or te.scan and returns its results. With `wideSums`, float
/// accumulators are not rounded. If `sumMagnitude` is given, it becomes the maximum of its old
/// value and the largest sum of magnitudes of a float reduction.
llvm::Expected<llvm::SmallVector<HostTensor>>
evaluateExpression(mlir::tssa::te::ExpressionOpInterface expression, Environment environment,
                   bool wideSums, double *sumMagnitude = nullptr);

/// Evaluates a library routine, independently of lib/Externs, and returns all of its results.
llvm::Expected<llvm::SmallVector<HostTensor>> evaluateExtern(mlir::tssa::te::ExternOp op,
                                                             llvm::ArrayRef<HostValue> inputs);

/// Whether the size of result `index` of a routine is known before the call, given that `numKnown`
/// of its `numResults` results have such a size.
bool isSizeKnownBefore(mlir::tssa::te::ExternOp op, unsigned index, unsigned numKnown,
                       unsigned numResults);

/// Returns sizes as numbers. Fails if one is negative or not known.
llvm::Expected<llvm::SmallVector<int64_t>>
getSizes(mlir::Operation *op, llvm::ArrayRef<mlir::OpFoldResult> sizes, Environment environment);

} // namespace tssa::reference

#endif // LIB_REFERENCE_TENSOROPS_H
