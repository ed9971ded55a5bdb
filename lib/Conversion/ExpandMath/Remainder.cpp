//===- Remainder.cpp - the remainder of a division of floats -------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Expansions.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "tssa/Conversion/ExpandMath.h"

using namespace mlir;

namespace tssa {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Returns the exponent of the positive normal number `x`, still biased.
Value getExponent(FloatBuilder &b, Value x) { return b.shiftRight(b.bitsOf(x), 52); }

/// Computes |x| mod |y| in f64, for numbers that were f32, with the sign of x. The loop starts from
/// |x|. Until the rest is less than |y|, it subtracts the largest |y| * 2^k that is not greater
/// than the rest. Each subtraction is exact and leaves less than half of the rest.
Value buildRemainder(OpBuilder &builder, Location loc, Value x, Value y) {
  Type type = x.getType();
  FloatBuilder b(builder, loc, type);
  Value ax = b.abs(x), ay = b.abs(y);
  Value isOrdinary = b.isAnd(b.isLess(b.f(0.0), ay), b.isLess(ax, b.f(infinity)));
  // If y is zero or NaN, or if x is infinite or NaN, the loop does nothing and the result is NaN.
  Value start = b.select(isOrdinary, ax, b.f(0.0));
  auto loop = scf::WhileOp::create(
      builder, loc, TypeRange{type}, ValueRange{start},
      [&](OpBuilder &builder, Location loc, ValueRange args) {
        Value more = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGE, args[0], ay);
        Value isOn = arith::AndIOp::create(builder, loc, more, isOrdinary);
        scf::ConditionOp::create(builder, loc, isOn, args);
      },
      [&](OpBuilder &builder, Location loc, ValueRange args) {
        FloatBuilder inner(builder, loc, type);
        Value rest = args[0];
        Value power = inner.subInt(getExponent(inner, rest), getExponent(inner, ay));
        Value step = inner.mul(ay, inner.powerOfTwo(power));
        step = inner.select(inner.isLess(rest, step), inner.mul(step, inner.f(0.5)), step);
        scf::YieldOp::create(builder, loc, inner.sub(rest, step));
      });
  Value result =
      b.select(isOrdinary, loop.getResult(0), b.f(std::numeric_limits<double>::quiet_NaN()));
  return b.copySign(result, x);
}

/// Computes x mod y from `quotient`, which is |x| / |y|. If the quotient was rounded up to an
/// integer, it is one too large. The result and what it is computed from are exact.
Value buildSmallRemainder(FloatBuilder &b, Value x, Value y, Value quotient) {
  Value ax = b.abs(x), ay = b.abs(y);
  Value whole = b.sub(b.f(-0.0), b.trunc(quotient));
  Value rest = b.fma(whole, ay, ax);
  rest = b.select(b.isLess(rest, b.f(0.0)), b.add(rest, ay), rest);
  // The product of 0 and an infinite y would be NaN.
  return b.copySign(b.select(b.isLess(ax, ay), ax, rest), x);
}

/// Expands a remainder of f32 or f64. The code branches on whether any lane has a large quotient.
/// If so, an op with `largeQuotientAttr` computes all lanes.
struct ExpandSmallRemainder : OpRewritePattern<arith::RemFOp> {
  ExpandSmallRemainder(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(arith::RemFOp op, PatternRewriter &rewriter) const override {
    Type element = getElementTypeOrSelf(op.getType());
    if ((!element.isF32() && !element.isF64()) || op->hasAttr(largeQuotientAttr))
      return failure();
    Location loc = op.getLoc();
    Value x = op.getLhs(), y = op.getRhs();
    FloatBuilder b(rewriter, loc, op.getType());
    Value quotient = b.div(b.abs(x), b.abs(y));
    // Up to here, a rounding error of the quotient is less than 1.
    Value limit = b.f(element.isF32() ? 0x1p22 : 0x1p51);
    Value isLarge = b.compare(arith::CmpFPredicate::OGT, quotient, limit);
    auto branch = scf::IfOp::create(
        rewriter, loc, buildAny(rewriter, loc, isLarge),
        [&](OpBuilder &builder, Location loc) {
          auto exact = arith::RemFOp::create(builder, loc, x, y);
          exact->setAttr(largeQuotientAttr, builder.getUnitAttr());
          scf::YieldOp::create(builder, loc, exact.getResult());
        },
        [&](OpBuilder &builder, Location loc) {
          FloatBuilder inner(builder, loc, x.getType());
          scf::YieldOp::create(builder, loc, buildSmallRemainder(inner, x, y, quotient));
        });
    rewriter.replaceOp(op, branch.getResults());
    return success();
  }
};

/// Expands the remainders of f32 that `ExpandSmallRemainder` left, one lane at a time.
struct ExpandRemainder : OpRewritePattern<arith::RemFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::RemFOp op, PatternRewriter &rewriter) const override {
    Type element = getElementTypeOrSelf(op.getType());
    if (!element.isF32() || !op->hasAttr(largeQuotientAttr))
      return failure();
    Location loc = op.getLoc();
    auto compute = [&](Value x, Value y) -> Value {
      Type f64 = rewriter.getF64Type();
      Value result = buildRemainder(rewriter, loc, arith::ExtFOp::create(rewriter, loc, f64, x),
                                    arith::ExtFOp::create(rewriter, loc, f64, y));
      return arith::TruncFOp::create(rewriter, loc, element, result);
    };
    auto vector = dyn_cast<VectorType>(op.getType());
    if (!vector) {
      rewriter.replaceOp(op, compute(op.getLhs(), op.getRhs()));
      return success();
    }
    if (vector.isScalable())
      return failure();
    Value result = arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(vector));
    SmallVector<int64_t> strides = computeStrides(vector.getShape());
    for (int64_t i = 0, e = vector.getNumElements(); i < e; ++i) {
      SmallVector<int64_t> position = delinearize(i, strides);
      Value lane = compute(vector::ExtractOp::create(rewriter, loc, op.getLhs(), position),
                           vector::ExtractOp::create(rewriter, loc, op.getRhs(), position));
      result = vector::InsertOp::create(rewriter, loc, lane, result, position);
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

} // namespace

void populateSmallRemainder(RewritePatternSet &patterns) {
  patterns.add<ExpandSmallRemainder>(patterns.getContext());
}

void populateRemainder(RewritePatternSet &patterns) {
  patterns.add<ExpandRemainder>(patterns.getContext());
}

} // namespace tssa
