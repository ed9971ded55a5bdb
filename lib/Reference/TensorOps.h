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

/// Raises `sumMagnitude`, if given, to the largest sum of magnitudes of a float
/// reduction.
llvm::Expected<llvm::SmallVector<HostTensor>> evaluateCompute(mlir::tssa::te::ComputeOp op,
                                                              Environment environment,
                                                              bool wideSums,
                                                              double *sumMagnitude = nullptr);

llvm::Expected<HostTensor> evaluateUpdate(mlir::tssa::te::UpdateOp op, Environment environment);

llvm::Expected<HostTensor> evaluateScan(mlir::tssa::te::ScanOp op, Environment environment,
                                        bool wideSums);

/// All results of a library routine, which is written here a second time.
llvm::Expected<llvm::SmallVector<HostTensor>> evaluateExtern(mlir::tssa::te::ExternOp op,
                                                             llvm::ArrayRef<HostValue> inputs);

/// Whether result `index` of a routine has a size that is known before the call,
/// if `numKnown` of `numResults` have.
bool isSizeKnownBefore(mlir::tssa::te::ExternOp op, unsigned index, unsigned numKnown,
                       unsigned numResults);

/// Sizes as numbers; an error for one that is negative or not known.
llvm::Expected<llvm::SmallVector<int64_t>>
getSizes(mlir::Operation *op, llvm::ArrayRef<mlir::OpFoldResult> sizes, Environment environment);

} // namespace tssa::reference

#endif // LIB_REFERENCE_TENSOROPS_H
