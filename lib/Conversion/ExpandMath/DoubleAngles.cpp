//===- DoubleAngles.cpp - sines, cosines and tangents of f64 -------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// An angle is reduced to a sum of two f64, of which the smaller one is a correction: by half turns
/// for sines and cosines, which then are one polynomial, a minimax fit, and by quarter turns for
/// tangents. Near its extremes a sine loses a unit, because its terms cancel. A tangent is a
/// quotient of fdlibm's polynomials.
///
//===----------------------------------------------------------------------===//

#include "Expansions.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tssa/Conversion/ExpandMath.h"

using namespace mlir;

namespace tssa {
namespace {

/// The largest argument that is reduced with sufficient accuracy.
constexpr double largestAngle = 0x1p20;

/// Subtracts n * pi / 2 from `x`, with pi / 2 as the sum of three f64.
Sum subtractQuarters(FloatBuilder &b, Value x, Value n) {
  Value rest = b.fma(n, b.f(-1.5707963267948966), x); // exact
  Sum product = productOf(b, n, b.f(-6.123233995736766e-17));
  // If `rest` is the smaller one, both are so small that at most the last bit of the sum is lost.
  Sum r = sumOf(b, rest, product.high);
  return {r.high, b.add(r.low, b.fma(n, b.f(1.4973849048591833e-33), product.low))};
}

/// Returns `result`, but `x` if it is 0: the sine and tangent of -0 are -0.
Value keepZero(FloatBuilder &b, Value x, Value result) {
  return b.select(b.compare(arith::CmpFPredicate::OEQ, x, b.f(0.0)), x, result);
}

/// The sine of an angle in [-pi/2, pi/2]: r - r^3 / 6 + r^5 p(r^2).
Value buildHalfWave(FloatBuilder &b, Sum r) {
  Value z = b.mul(r.high, r.high), cubed = b.mul(z, r.high);
  Value p = b.polynomial(z, {2.7413436859166546e-15, -7.644794694738693e-13, 1.6059004059911312e-10,
                             -2.5052108042303055e-08, 2.7557319222575655e-06,
                             -0.00019841269841267667, 0.008333333333333333});
  // The slope of the sine is about 1 - 4 z / pi^2.
  Value correction = b.fma(b.mul(z, b.f(-0.4052847345693511)), r.low, r.low);
  correction = b.fma(b.mul(cubed, z), p, correction);
  return b.add(r.high, b.fma(cubed, b.f(-1.0 / 6), correction));
}

/// Gives `value` the other sign if `turns` is odd.
Value flip(FloatBuilder &b, Value value, Value turns) {
  return b.fromBits(b.addInt(b.bitsOf(value), b.shiftLeft(turns, 63)));
}

/// Subtracts half turns.
Value buildSin(FloatBuilder &b, Value x) {
  auto [turns, n] = b.round(x, b.f(0.3183098861837907));
  Value result = buildHalfWave(b, subtractQuarters(b, x, b.add(n, n)));
  return keepZero(b, x, flip(b, result, turns));
}

/// Subtracts an odd number of quarter turns.
Value buildCos(FloatBuilder &b, Value x) {
  auto [turns, n] = b.round(b.fma(x, b.f(0.3183098861837907), b.f(-0.5)), b.f(1.0));
  Sum r = subtractQuarters(b, x, b.fma(n, b.f(2.0), b.f(1.0)));
  return flip(b, buildHalfWave(b, r), b.addInt(turns, b.i(1)));
}

/// The sine of an angle in [-pi/4, pi/4].
Sum buildSine(FloatBuilder &b, Sum r) {
  Value z = b.mul(r.high, r.high), cubed = b.mul(z, r.high);
  Value p = b.polynomial(z, {1.58969099521155010221e-10, -2.50507602534068634195e-08,
                             2.75573137070700676789e-06, -1.98412698298579493134e-04,
                             8.33333333332248946124e-03});
  // r + cubed * (-1/6 + z * p), and the slope of the sine is about 1 - z / 2.
  Value correction = b.fma(b.mul(z, b.f(-0.5)), r.low, r.low);
  Value more = b.fma(b.mul(cubed, z), p, correction);
  return {r.high, b.fma(cubed, b.f(-1.66666666666666324348e-01), more)};
}

/// The cosine of an angle in [-pi/4, pi/4].
Sum buildCosine(FloatBuilder &b, Sum r) {
  Value z = b.mul(r.high, r.high), one = b.f(1.0);
  Value p = b.polynomial(z, {-1.13596475577881948265e-11, 2.08757232129817482790e-09,
                             -2.75573143513906633035e-07, 2.48015872894767294178e-05,
                             -1.38888888888741095749e-03, 4.16666666666666019037e-02});
  Value half = b.mul(z, b.f(0.5)), high = b.sub(one, half);
  Value lost = b.sub(b.sub(one, high), half);
  // The slope of the cosine is about -r.
  Value more = b.fma(b.mul(z, z), p, b.mul(b.sub(b.f(-0.0), r.high), r.low));
  return {high, b.add(lost, more)};
}

/// The quotient of a sine and a cosine, or of a cosine and a sine after an odd number of quarter
/// turns, with one rounding that counts.
Value buildTan(FloatBuilder &b, Value x) {
  auto [turns, n] = b.round(x, b.f(0.63661977236758134308));
  Sum r = subtractQuarters(b, x, n), sine = buildSine(b, r), cosine = buildCosine(b, r);
  sine = sumOf(b, sine.high, sine.low);
  cosine = sumOf(b, cosine.high, cosine.low);
  Value isOdd = b.isEqual(b.andInt(turns, b.i(1)), b.i(1));
  auto choose = [&](Sum odd, Sum even) -> Sum {
    return {b.select(isOdd, odd.high, even.high), b.select(isOdd, odd.low, even.low)};
  };
  Sum over = choose(cosine, sine), under = choose(sine, cosine);
  Value inverse = b.div(b.f(1.0), under.high), t = b.mul(over.high, inverse);
  Value minus = b.sub(b.f(-0.0), t);
  Value error = b.fma(minus, under.high, over.high);
  error = b.add(error, b.fma(minus, under.low, over.low));
  t = b.fma(error, inverse, t);
  return keepZero(b, x, b.select(isOdd, b.sub(b.f(-0.0), t), t));
}

/// Expands a sine, cosine or tangent. The code branches on whether any lane has a large argument.
/// If so, an op with `largeAngleAttr`, which is left to the target, computes all lanes.
template <typename Op> struct ExpandDoubleAngle : OpRewritePattern<Op> {
  using Build = Value (*)(FloatBuilder &b, Value x);
  Build build;
  ExpandDoubleAngle(MLIRContext *context, Build build)
      : OpRewritePattern<Op>(context, /*benefit=*/2), build(build) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF64() || op->hasAttr(largeAngleAttr))
      return failure();
    return expandAngle(op, rewriter, largestAngle, build);
  }
};

template <typename Op>
void add(RewritePatternSet &patterns, typename ExpandDoubleAngle<Op>::Build build) {
  patterns.add(std::make_unique<ExpandDoubleAngle<Op>>(patterns.getContext(), build));
}

} // namespace

void populateDoubleAngles(RewritePatternSet &patterns) {
  add<math::SinOp>(patterns, buildSin);
  add<math::CosOp>(patterns, buildCos);
  add<math::TanOp>(patterns, buildTan);
}

} // namespace tssa
