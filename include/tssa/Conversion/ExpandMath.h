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

/// Instructions of a target that replace several arithmetic operations. They give the same results,
/// bit for bit.
struct MathInstructions {
  /// Builds m * 2^n with one rounding. `m` and `n` have type f32 or a vector of f32, and `n` holds
  /// an integer. Returns null if the target has no such instruction for the type.
  std::function<mlir::Value(mlir::OpBuilder &, mlir::Location, mlir::Value m, mlir::Value n)> scale;
};

/// Marks a sine, cosine or tangent whose argument may be large. Without this attribute, the
/// op is expanded to a polynomial for small arguments, and to an op with this attribute for large
/// arguments.
constexpr llvm::StringLiteral largeAngleAttr = "large_angle";

/// Marks a remainder whose quotient may be large. Without this attribute, the op is expanded to a
/// division for small quotients, and to an op with this attribute for large quotients.
constexpr llvm::StringLiteral largeQuotientAttr = "large_quotient";

/// Patterns that compute functions on f32, and on vectors of f32, by polynomials. Functions on f16
/// and bf16 are computed in f32. Functions on f64 are left to the target, and so are ops with
/// `largeAngleAttr` or `largeQuotientAttr`. MathErrors.def lists the largest errors.
void populateApproximations(mlir::RewritePatternSet &patterns,
                            const MathInstructions &instructions = {});

/// Patterns that compute functions on f64 by polynomials, except for sines, cosines, tangents and
/// powers, which have patterns of their own.
void populateDoubleFunctions(mlir::RewritePatternSet &patterns);

/// Patterns that compute sines, cosines and tangents of f64 by polynomials. For large arguments,
/// they leave an op with `largeAngleAttr` to the target.
void populateDoubleAngles(mlir::RewritePatternSet &patterns);

/// Patterns for powers of f64.
void populateDoublePowers(mlir::RewritePatternSet &patterns);

/// Patterns for the sines, cosines and tangents of f32 with `largeAngleAttr`.
void populateLargeAngles(mlir::RewritePatternSet &patterns);

/// Patterns for arith.remf on f32 with `largeQuotientAttr`.
void populateRemainder(mlir::RewritePatternSet &patterns);

/// Patterns that narrow f64 to f16 and bf16 with one rounding.
void populateNarrowingPatterns(mlir::RewritePatternSet &patterns);

} // namespace tssa

#endif // TSSA_CONVERSION_EXPANDMATH_H
