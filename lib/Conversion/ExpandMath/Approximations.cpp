//===- Approximations.cpp - functions on f32 by polynomials --------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Right to four units in the last place for every f32, subnormal numbers,
/// infinities and NaN among them. Where upstream's expansions are, they are used;
/// those here replace the ones that flush subnormal numbers or lose large
/// arguments. The polynomials are those of the Cephes library.
///
//===----------------------------------------------------------------------===//

#include "Angles.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/IR/TypeUtilities.h"
#include "tssa/Conversion/ExpandMath.h"
#include "tssa/Conversion/FloatBuilder.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tssa {
namespace {

/// e^x = 2^n e^r with n = round(x / ln 2). 2^n is applied in two halves, so that
/// results near both ends of the range round once.
Value buildExp(FloatBuilder &b, Value x) {
  x = b.select(b.isLess(b.f(89.0), x), b.f(89.0), x);
  x = b.select(b.isLess(x, b.f(-104.0)), b.f(-104.0), x);
  auto [integer, n] = b.round(x, b.f(1.44269504088896341));
  Value r = b.fma(n, b.f(-0.693359375), x);
  r = b.fma(n, b.f(2.12194440e-4), r);
  Value p = b.polynomial(r, {1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2,
                             1.6666665459e-1, 5.0000001201e-1});
  p = b.add(b.fma(p, b.mul(r, r), r), b.f(1.0));
  Value half = b.shiftRight(integer, 1);
  return b.mul(b.mul(p, b.powerOfTwo(half)), b.powerOfTwo(b.subInt(integer, half)));
}

/// ln x = ln m + e ln 2 with m in [sqrt 1/2, sqrt 2).
Value buildLog(FloatBuilder &b, Value x) {
  Value isSmall = b.isLess(x, b.f(1.17549435e-38));
  Value normal = b.select(isSmall, b.mul(x, b.f(8388608.0)), x);
  Value bits = b.bitsOf(normal);
  Value exponent = b.subInt(b.shiftRight(bits, 23), b.select(isSmall, b.i(126 + 23), b.i(126)));
  Value m = b.fromBits(b.orInt(b.andInt(bits, b.i(0x007fffff)), b.i(0x3f000000)));
  Value isLow = b.isLess(m, b.f(0.707106781186547524));
  exponent = b.select(isLow, b.subInt(exponent, b.i(1)), exponent);
  m = b.sub(b.select(isLow, b.add(m, m), m), b.f(1.0));
  Value e = b.toFloat(exponent), z = b.mul(m, m);
  Value p = b.polynomial(m, {7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1,
                             1.4249322787e-1, -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1,
                             3.3333331174e-1});
  Value y = b.mul(b.mul(p, m), z);
  y = b.fma(e, b.f(-2.12194440e-4), y);
  y = b.fma(z, b.f(-0.5), y);
  Value result = b.fma(e, b.f(0.693359375), b.add(m, y));

  Value infinity = b.f(std::numeric_limits<double>::infinity());
  Value notANumber = b.f(std::numeric_limits<double>::quiet_NaN());
  result = b.select(b.compare(arith::CmpFPredicate::OEQ, x, infinity), infinity, result);
  result = b.select(b.compare(arith::CmpFPredicate::OEQ, x, b.f(0.0)),
                    b.f(-std::numeric_limits<double>::infinity()), result);
  // Less than 0, or NaN.
  return b.select(b.compare(arith::CmpFPredicate::ULT, x, b.f(0.0)), notANumber, result);
}

/// An odd polynomial near 0, 1 - 2 / (e^2x + 1) elsewhere.
Value buildTanh(FloatBuilder &b, Value x) {
  Value magnitude = b.abs(x), z = b.mul(x, x);
  Value p = b.polynomial(z, {-5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2,
                             1.33314422036e-1, -3.33332819422e-1});
  Value near = b.fma(b.mul(p, z), x, x);
  Value power = buildExp(b, b.add(magnitude, magnitude));
  Value far = b.sub(b.f(1.0), b.div(b.f(2.0), b.add(power, b.f(1.0))));
  return b.select(b.isLess(magnitude, b.f(0.625)), near, b.copySign(far, x));
}

template <typename Op> struct Expand : OpRewritePattern<Op> {
  using Build = Value (*)(FloatBuilder &, Value);
  Build build;
  Expand(MLIRContext *context, Build build)
      : OpRewritePattern<Op>(context, /*benefit=*/2), build(build) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    FloatBuilder builder(rewriter, op.getLoc(), op.getType());
    rewriter.replaceOp(op, build(builder, op.getOperand()));
    return success();
  }
};

/// On types of 16 bits by way of f32, whose result is exact.
struct WidenRemainder : OpRewritePattern<arith::RemFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::RemFOp op, PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (getElementTypeOrSelf(type).getIntOrFloatBitWidth() != 16)
      return failure();
    Location loc = op.getLoc();
    auto vector = dyn_cast<VectorType>(type);
    Type wide = vector ? Type(vector.clone(rewriter.getF32Type())) : rewriter.getF32Type();
    Value result = arith::RemFOp::create(rewriter, loc,
                                         arith::ExtFOp::create(rewriter, loc, wide, op.getLhs()),
                                         arith::ExtFOp::create(rewriter, loc, wide, op.getRhs()));
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, type, result);
    return success();
  }
};

template <typename Op>
void addExpansion(RewritePatternSet &patterns, typename Expand<Op>::Build build) {
  patterns.add(std::make_unique<Expand<Op>>(patterns.getContext(), build));
}

} // namespace

void populateApproximations(RewritePatternSet &patterns) {
  populateMathF32ExpansionPatterns(patterns, [](StringRef) { return true; }, 3);
  addExpansion<math::ExpOp>(patterns, buildExp);
  addExpansion<math::LogOp>(patterns, buildLog);
  addExpansion<math::TanhOp>(patterns, buildTanh);
  populateAngles(patterns);
  patterns.add<WidenRemainder>(patterns.getContext());
  populateMathPolynomialApproximationPatterns(
      patterns,
      [](StringRef name) {
        return llvm::is_contained({"math.log1p", "math.expm1", "math.erf"}, name);
      },
      2);
}

} // namespace tssa
