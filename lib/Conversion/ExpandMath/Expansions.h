//===- Expansions.h - patterns for functions on f32 ------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_CONVERSION_EXPANDMATH_EXPANSIONS_H
#define LIB_CONVERSION_EXPANDMATH_EXPANSIONS_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "tssa/Conversion/ExpandMath.h"
#include "tssa/Conversion/FloatBuilder.h"

#include <functional>

namespace tssa {

/// Replaces a function of one f32, or a vector of f32, by what `build` builds.
template <typename Op> struct Expand : mlir::OpRewritePattern<Op> {
  using Build = std::function<mlir::Value(FloatBuilder &, mlir::Value)>;
  Build build;
  Expand(mlir::MLIRContext *context, Build build)
      : mlir::OpRewritePattern<Op>(context, /*benefit=*/2), build(build) {}

  mlir::LogicalResult matchAndRewrite(Op op, mlir::PatternRewriter &rewriter) const override {
    if (!mlir::getElementTypeOrSelf(op.getType()).isF32())
      return mlir::failure();
    FloatBuilder builder(rewriter, op.getLoc(), op.getType());
    rewriter.replaceOp(op, build(builder, op.getOperand()));
    return mlir::success();
  }
};

template <typename Op>
void addExpansion(mlir::RewritePatternSet &patterns, typename Expand<Op>::Build build) {
  patterns.add(std::make_unique<Expand<Op>>(patterns.getContext(), build));
}

/// A sum of two f64, of which `low` is much smaller than `high`.
struct Sum {
  mlir::Value high, low;
};

/// large + small, exactly, if |small| <= |large|.
inline Sum sumOf(FloatBuilder &b, mlir::Value large, mlir::Value small) {
  mlir::Value high = b.add(large, small);
  return {high, b.sub(small, b.sub(high, large))};
}

/// x * y, exactly, if the product does not overflow and is not tiny.
inline Sum productOf(FloatBuilder &b, mlir::Value x, mlir::Value y) {
  mlir::Value high = b.mul(x, y);
  return {high, b.fma(x, y, b.sub(b.f(-0.0), high))};
}

/// The number m * 2^exponent.
struct BinaryParts {
  mlir::Value m, exponent;
};

/// Splits an f64, which is a positive normal number, with m in [sqrt 1/2, sqrt 2).
BinaryParts splitNormal(FloatBuilder &b, mlir::Value x);

/// Splits an f64 that is positive and finite, likewise.
BinaryParts splitPositive(FloatBuilder &b, mlir::Value x);

/// Gives `power`, which is |x|^y, the sign and the special cases of C's pow. All have the same
/// type.
mlir::Value finishPower(FloatBuilder &b, mlir::Value x, mlir::Value y, mlir::Value power);

/// Whether any lane of a condition holds.
mlir::Value buildAny(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value condition);

/// Expands a sine, cosine or tangent: the code branches on whether the magnitude of any lane is
/// above `largest`. If so, an op with `largeAngleAttr` computes all lanes; otherwise `buildSmall`
/// does.
template <typename Op>
mlir::LogicalResult
expandAngle(Op op, mlir::PatternRewriter &rewriter, double largest,
            llvm::function_ref<mlir::Value(FloatBuilder &, mlir::Value)> buildSmall) {
  mlir::Value x = op.getOperand();
  FloatBuilder b(rewriter, op.getLoc(), op.getType());
  mlir::Value isLarge = b.compare(mlir::arith::CmpFPredicate::UGT, b.abs(x), b.f(largest));
  auto branch = mlir::scf::IfOp::create(
      rewriter, op.getLoc(), buildAny(rewriter, op.getLoc(), isLarge),
      [&](mlir::OpBuilder &builder, mlir::Location loc) {
        auto exact = Op::create(builder, loc, x);
        exact->setAttr(largeAngleAttr, builder.getUnitAttr());
        mlir::scf::YieldOp::create(builder, loc, exact.getResult());
      },
      [&](mlir::OpBuilder &builder, mlir::Location loc) {
        FloatBuilder inner(builder, loc, x.getType());
        mlir::scf::YieldOp::create(builder, loc, buildSmall(inner, x));
      });
  rewriter.replaceOp(op, branch.getResults());
  return mlir::success();
}

/// Patterns that expand sines, cosines and tangents of f32. For large arguments, they leave an op
/// with `largeAngleAttr`.
void populateAngles(mlir::RewritePatternSet &patterns);

/// Patterns for the inverse trigonometric functions of one f32.
void populateArcs(mlir::RewritePatternSet &patterns);

/// Patterns for functions on f32 that are computed in f64.
void populateWideFunctions(mlir::RewritePatternSet &patterns);

/// Patterns that divide where the quotient of a remainder is small. For large quotients, they leave
/// an op with `largeQuotientAttr`.
void populateSmallRemainder(mlir::RewritePatternSet &patterns);

} // namespace tssa

#endif // LIB_CONVERSION_EXPANDMATH_EXPANSIONS_H
