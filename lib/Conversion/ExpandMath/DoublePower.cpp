//===- DoublePower.cpp - powers of f64 -----------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// x^y = 2^(y log2 x). The product can be as large as 1075, and its absolute error is a relative
/// error of the result. So the logarithm, the product, and the leading terms of the exponential are
/// sums of two f64.
///
//===----------------------------------------------------------------------===//

#include "Expansions.h"
#include "mlir/IR/TypeUtilities.h"
#include "tssa/Conversion/ExpandMath.h"

using namespace mlir;

namespace tssa {
namespace {

using P = arith::CmpFPredicate;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Beyond this, a power of two is infinite or zero.
constexpr double largestExponent = 1100.0;

/// x * y.
Sum multiply(FloatBuilder &b, Sum x, Sum y) {
  Sum product = productOf(b, x.high, y.high);
  return {product.high, b.fma(x.low, y.high, b.fma(x.high, y.low, product.low))};
}

/// high + low + x, where `high` and `low` are constants and |x| < |high|.
Sum addTo(FloatBuilder &b, double high, double low, Value x) {
  Sum sum = sumOf(b, b.f(high), x);
  return {sum.high, b.add(sum.low, b.f(low))};
}

/// (m - 1) / (m + 1).
Sum buildRatio(FloatBuilder &b, Value m) {
  Value one = b.f(1.0), over = b.sub(m, one); // exact
  Sum under = sumOf(b, one, m);
  Value inverse = b.div(one, under.high), ratio = b.mul(over, inverse);
  Value minus = b.sub(b.f(-0.0), ratio);
  Value error = b.fma(minus, under.low, b.fma(minus, under.high, over));
  return {ratio, b.mul(error, inverse)};
}

/// 2 / ln 2 (1/3 + z/5 + z^2/7 + ...), the slope of log2 after its first term. The term of z/5 is a
/// sum, too, because the slope is multiplied by up to 1075 at last.
Sum buildSlope(FloatBuilder &b, Sum z) {
  Value fifth = b.polynomial(z.high, {0.16686571920060522, 0.16911012884788174, 0.19237186783741553,
                                      0.22195295348836072, 0.26230818989078497, 0.3205988979741493,
                                      0.4121985831111328, 0.5770780163555853});
  Sum more = productOf(b, z.high, fifth);
  more.low = b.fma(z.high, b.f(5.2551030481378675e-17), b.fma(z.low, fifth, more.low));
  Sum slope = addTo(b, 0.9617966939259756, 5.0577616648125907e-17, more.high);
  return {slope.high, b.add(slope.low, more.low)};
}

/// log2 m + exponent for m in [sqrt 1/2, sqrt 2), by the series of atanh s:
/// log2 m = 2 / ln 2 (s + s^3 / 3 + ...). It is accurate to about 2^-66 of the result.
Sum buildLog2(FloatBuilder &b, Value m, Value exponent) {
  Sum s = buildRatio(b, m), z = productOf(b, s.high, s.high);
  z.low = b.fma(b.add(s.high, s.high), s.low, z.low);
  Sum more = multiply(b, z, buildSlope(b, z));
  Sum slope = addTo(b, 2.8853900817779268, 4.0710547481862066e-17, more.high);
  slope.low = b.add(slope.low, more.low);
  Sum log = multiply(b, s, slope), result = sumOf(b, exponent, log.high);
  return {result.high, b.add(result.low, log.low)};
}

/// 2^r for |r| up to 1/2.
Value buildSmallExp2(FloatBuilder &b, Sum r) {
  constexpr double ln2 = 0.6931471805599453, ln2Rest = 2.3190468138462996e-17;
  Value tail =
      b.polynomial(r.high, {2.572508057683636e-11, 4.4549605981865186e-10, 7.054899956372649e-09,
                            1.0178062445845774e-07, 1.3215486802903931e-06, 1.525273382983612e-05,
                            0.00015403530393375914, 0.0013333558146416936, 0.009618129107628479,
                            0.0555041086648216, 0.24022650695910072});
  Sum linear = multiply(b, r, {b.f(ln2), b.f(ln2Rest)});
  Sum sum = sumOf(b, b.f(1.0), linear.high);
  Value low = b.add(sum.low, linear.low);
  return b.add(sum.high, b.fma(b.mul(r.high, r.high), tail, low));
}

/// 2^x. The power of two is applied as two factors, so that results near both ends of the range are
/// rounded once.
Value buildExp2(FloatBuilder &b, Sum x) {
  Value isLarge = b.isLess(b.f(largestExponent), b.abs(x.high));
  Value low = b.select(isLarge, b.f(0.0), x.low);
  Value high = b.clamp(x.high, -largestExponent, largestExponent);
  auto [integer, n] = b.round(high, b.f(1.0));
  Value power = buildSmallExp2(b, sumOf(b, b.sub(high, n), low));
  Value half = b.shiftRight(integer, 1);
  return b.mul(b.mul(power, b.powerOfTwo(half)), b.powerOfTwo(b.subInt(integer, half)));
}

/// |x|^y, without the cases that `finishPower` replaces.
Value buildPower(FloatBuilder &b, Value x, Value y) {
  Value a = b.abs(x), zero = b.f(0.0);
  auto [m, exponent] = splitPositive(b, a);
  Sum log = buildLog2(b, m, exponent);
  log.high = b.select(b.compare(P::OEQ, a, zero), b.f(-infinity), log.high);
  log.high = b.select(b.compare(P::OEQ, a, b.f(infinity)), a, log.high);
  Sum product = productOf(b, y, log.high);
  // The product of 0, the logarithm of 1, and an infinite y would be NaN.
  Value isOne = b.compare(P::OEQ, log.high, zero);
  return buildExp2(b, {b.select(isOne, zero, product.high),
                       b.select(isOne, zero, b.fma(y, log.low, product.low))});
}

struct ExpandDoublePower : OpRewritePattern<math::PowFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::PowFOp op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF64())
      return failure();
    FloatBuilder b(rewriter, op.getLoc(), op.getType());
    Value x = op.getLhs(), y = op.getRhs();
    rewriter.replaceOp(op, finishPower(b, x, y, buildPower(b, x, y)));
    return success();
  }
};

} // namespace

void populateDoublePowers(RewritePatternSet &patterns) {
  patterns.add<ExpandDoublePower>(patterns.getContext());
}

} // namespace tssa
