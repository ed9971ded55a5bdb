//===- ExpandMath.h - polynomials for functions of math --------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_TARGET_CPU_EXPANDMATH_H
#define LIB_TARGET_CPU_EXPANDMATH_H

#include "mlir/IR/PatternMatch.h"

namespace tssa::cpu {

/// Patterns that compute functions on f32, and vectors of it, by polynomials.
void populateApproximations(mlir::RewritePatternSet &patterns);

} // namespace tssa::cpu

#endif // LIB_TARGET_CPU_EXPANDMATH_H
