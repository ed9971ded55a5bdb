//===- DoubleAngles.cpp - sines, cosines and tangents of f64 -------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// An angle is reduced by quarter turns to a sum of two f64, of which the smaller one is a
/// correction. The polynomials are those of fdlibm.
///
//===----------------------------------------------------------------------===//

#include "Expansions.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tssa/Conversion/ExpandMath.h"

using namespace mlir;

namespace tssa {
namespace {

/// The largest argument that `reduce` reduces with sufficient accuracy.
constexpr double largestAngle = 0x1p20;

/// An angle: `turns` quarter turns plus `r`, which lies in [-pi/4, pi/4].
struct Angle {
  Sum r;
  Value turns;
};

/// Reduces `x`. Subtracts n * pi / 2, with pi / 2 as the sum of three f64.
Angle reduce(FloatBuilder &b, Value x) {
  auto [turns, n] = b.round(x, b.f(0.63661977236758134308));
  Value rest = b.fma(n, b.f(-1.5707963267948966), x); // exact
  Value second = b.f(-6.123233995736766e-17), third = b.f(1.4973849048591833e-33);
  Value product = b.mul(n, second);
  Value lost = b.fma(n, second, b.sub(b.f(-0.0), product));
  Value r = b.add(rest, product);
  // What the sum lost.
  Value added = b.sub(r, rest);
  Value low = b.add(b.sub(rest, b.sub(r, added)), b.sub(product, added));
  return {{r, b.add(low, b.fma(n, third, lost))}, turns};
}

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

Value isSet(FloatBuilder &b, Value turns, int64_t bit) {
  return b.isEqual(b.andInt(turns, b.i(bit)), b.i(bit));
}

/// Builds the sine of an angle plus a number of quarter turns, which is 0 for the sine of the angle
/// and 1 for its cosine.
Value buildTurned(FloatBuilder &b, Angle angle, int64_t quarters) {
  Value turns = b.addInt(angle.turns, b.i(quarters));
  Sum sine = buildSine(b, angle.r), cosine = buildCosine(b, angle.r);
  Value result =
      b.select(isSet(b, turns, 1), b.add(cosine.high, cosine.low), b.add(sine.high, sine.low));
  return b.select(isSet(b, turns, 2), b.sub(b.f(-0.0), result), result);
}

Value buildSin(FloatBuilder &b, Angle angle) { return buildTurned(b, angle, 0); }
Value buildCos(FloatBuilder &b, Angle angle) { return buildTurned(b, angle, 1); }

/// The quotient of a sine and a cosine, or of a cosine and a sine after an odd number of quarter
/// turns, with one rounding that counts.
Value buildTan(FloatBuilder &b, Angle angle) {
  Sum sine = buildSine(b, angle.r), cosine = buildCosine(b, angle.r);
  sine = sumOf(b, sine.high, sine.low);
  cosine = sumOf(b, cosine.high, cosine.low);
  Value isOdd = isSet(b, angle.turns, 1);
  auto choose = [&](Sum odd, Sum even) -> Sum {
    return {b.select(isOdd, odd.high, even.high), b.select(isOdd, odd.low, even.low)};
  };
  Sum over = choose(cosine, sine), under = choose(sine, cosine);
  Value inverse = b.div(b.f(1.0), under.high), t = b.mul(over.high, inverse);
  Value minus = b.sub(b.f(-0.0), t);
  Value error = b.fma(minus, under.high, over.high);
  error = b.add(error, b.fma(minus, under.low, over.low));
  t = b.fma(error, inverse, t);
  return b.select(isOdd, b.sub(b.f(-0.0), t), t);
}

/// Expands a sine, cosine or tangent. The code branches on whether any lane has a large argument.
/// If so, an op with `largeAngleAttr`, which is left to the target, computes all lanes.
template <typename Op> struct ExpandDoubleAngle : OpRewritePattern<Op> {
  using Build = Value (*)(FloatBuilder &b, Angle angle);
  Build build;
  ExpandDoubleAngle(MLIRContext *context, Build build)
      : OpRewritePattern<Op>(context, /*benefit=*/2), build(build) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF64() || op->hasAttr(largeAngleAttr))
      return failure();
    Location loc = op.getLoc();
    Value x = op.getOperand();
    FloatBuilder b(rewriter, loc, op.getType());
    Value isLarge = b.compare(arith::CmpFPredicate::UGT, b.abs(x), b.f(largestAngle));
    auto branch = scf::IfOp::create(
        rewriter, loc, buildAny(rewriter, loc, isLarge),
        [&](OpBuilder &builder, Location loc) {
          auto exact = Op::create(builder, loc, x);
          exact->setAttr(largeAngleAttr, builder.getUnitAttr());
          scf::YieldOp::create(builder, loc, exact.getResult());
        },
        [&](OpBuilder &builder, Location loc) {
          FloatBuilder inner(builder, loc, x.getType());
          scf::YieldOp::create(builder, loc, buildSmall(inner, x));
        });
    rewriter.replaceOp(op, branch.getResults());
    return success();
  }

  /// The sine and tangent of -0 are -0, which `reduce` loses.
  Value buildSmall(FloatBuilder &b, Value x) const {
    Value result = build(b, reduce(b, x));
    if constexpr (std::is_same_v<Op, math::CosOp>)
      return result;
    return b.select(b.compare(arith::CmpFPredicate::OEQ, x, b.f(0.0)), x, result);
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
