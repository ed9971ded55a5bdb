//===- ExpandMath.h - functions of math as arithmetic ----------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_CONVERSION_EXPANDMATH_H
#define TSSA_CONVERSION_EXPANDMATH_H

#include "mlir/IR/PatternMatch.h"

#include <functional>

namespace tssa {

/// What a target has an instruction for where arithmetic takes several. The results are
/// the same, bit for bit.
struct MathInstructions {
  /// m * 2^n, rounded once, for n that is an integer, both f32 or vectors of it. A null
  /// value where the target has no such instruction for the type.
  std::function<mlir::Value(mlir::OpBuilder &, mlir::Location, mlir::Value m, mlir::Value n)> scale;
};

/// On a sine or cosine of f32: its argument may be of any size. Those without are
/// expanded to a polynomial and, for large arguments, one with this attribute.
constexpr llvm::StringLiteral largeAngleAttr = "large_angle";

/// Patterns that compute functions on f32, and vectors of it, by polynomials, and
/// those on f16 and bf16 by way of f32. Functions on f64, and on f32 those that are
/// rare or need more bits, are left to the target. MathErrors.def has their errors.
void populateApproximations(mlir::RewritePatternSet &patterns,
                            const MathInstructions &instructions = {});

/// Patterns that compute functions on f64 by polynomials, and those on f32 that
/// `populateApproximations` leaves by way of f64. For targets without a library to call.
void populateDoubleFunctions(mlir::RewritePatternSet &patterns);

/// Patterns for the sines and cosines with `largeAngleAttr`, and for tangents of f32.
void populateLargeAngles(mlir::RewritePatternSet &patterns);

/// Patterns for arith.remf on f32.
void populateRemainder(mlir::RewritePatternSet &patterns);

/// Patterns that narrow f64 to f16 and bf16 with one rounding.
void populateNarrowingPatterns(mlir::RewritePatternSet &patterns);

} // namespace tssa

#endif // TSSA_CONVERSION_EXPANDMATH_H
