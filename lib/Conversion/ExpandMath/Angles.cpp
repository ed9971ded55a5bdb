//===- Angles.cpp - sines, cosines and tangents --------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Expansions.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "tssa/Conversion/ExpandMath.h"
#include "tssa/Conversion/FloatBuilder.h"

using namespace mlir;

namespace tssa {

Value buildAny(OpBuilder &builder, Location loc, Value condition) {
  auto type = dyn_cast<VectorType>(condition.getType());
  if (!type)
    return condition;
  auto flat = VectorType::get(type.getNumElements(), type.getElementType());
  if (flat != type)
    condition = vector::ShapeCastOp::create(builder, loc, flat, condition);
  return vector::ReductionOp::create(builder, loc, vector::CombiningKind::OR, condition);
}

namespace {

/// The largest argument that `reduce` reduces with sufficient accuracy.
constexpr double largestAngle = 32768.0;

/// An angle: `turns` quarter turns plus `r` plus the much smaller `low`. `r` lies in
/// [-pi/4, pi/4].
struct Angle {
  Value r, low, turns;
};

/// Builds the sine of an angle plus a number of quarter turns, which is 0 for the sine of the angle
/// and 1 for its cosine.
Value buildSine(FloatBuilder &b, Angle angle, int32_t quarters) {
  Value r = angle.r, z = b.mul(r, r);
  Value turns = b.addInt(angle.turns, b.i(quarters));
  Value sine = b.polynomial(z, {-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1});
  sine = b.fma(b.mul(sine, z), r, r);
  Value cosine =
      b.polynomial(z, {2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2});
  cosine = b.fma(b.mul(cosine, z), z, b.fma(z, b.f(-0.5), b.f(1.0)));
  Value isOdd = b.isEqual(b.andInt(turns, b.i(1)), b.i(1));
  Value result = b.select(isOdd, cosine, sine);
  Value isNegative = b.isEqual(b.andInt(turns, b.i(2)), b.i(2));
  return b.select(isNegative, b.sub(b.f(-0.0), result), result);
}

/// Builds the tangent t of `r` plus `low` by a minimax fit, as the sum of two f32. After an odd
/// number of quarter turns the tangent is -1 / t.
Value buildTangent(FloatBuilder &b, Angle angle) {
  Value r = angle.r, z = b.mul(r, r), one = b.f(1.0);
  Value p = b.polynomial(z, {9.3864537662379129e-3, 3.1181644680070980e-3, 2.4431217174382250e-2,
                             5.3410982167373236e-2, 1.3338802951584491e-1, 3.3333156720742502e-1});
  Value cubed = b.mul(r, z);
  Value near = b.fma(cubed, p, r);
  // The slope of the tangent is 1 + t^2.
  Value more = b.fma(b.mul(angle.low, near), near, angle.low);
  more = b.fma(cubed, p, more);
  Value t = b.add(r, more);
  Value rest = b.sub(more, b.sub(t, r));
  Value inverse = b.div(b.f(-1.0), t);
  Value error = b.fma(inverse, rest, b.fma(inverse, t, one));
  inverse = b.fma(inverse, error, inverse);
  Value isOdd = b.isEqual(b.andInt(angle.turns, b.i(1)), b.i(1));
  return b.select(isOdd, inverse, t);
}

/// Reduces `x`. Subtracts n * pi / 2, with pi / 2 as the sum of three f32.
Angle reduce(FloatBuilder &b, Value x) {
  auto [turns, n] = b.round(x, b.f(0.636619772367581343));
  Value rest = b.fma(n, b.f(-1.5707963705062866), x); // exact
  constexpr double second = 4.371138828673793e-08, third = 1.7151245100058819e-15;
  Value r = b.fma(n, b.f(third), b.fma(n, b.f(second), rest));
  // What the difference lost: the rounding errors of the second product and of its sum with `rest`.
  Value product = b.mul(n, b.f(second));
  Value lost = b.fma(n, b.f(second), b.sub(b.f(-0.0), product));
  Value added = b.sub(r, rest);
  Value low = b.add(b.sub(rest, b.sub(r, added)), b.sub(product, added));
  return {r, b.add(low, b.fma(n, b.f(third), lost)), turns};
}

/// Reduces an f32 whose magnitude exceeds `largestAngle`, by the method of Payne and Hanek. The
/// code multiplies the argument by enough bits of 2 / pi. It drops the bits of the product that
/// count whole turns.
Angle reduceLarge(OpBuilder &builder, Location loc, Value x) {
  FloatBuilder b(builder, loc, x.getType());
  auto withElement = [&](Type element) -> Type {
    auto vector = dyn_cast<VectorType>(x.getType());
    return vector ? Type(vector.clone(element)) : element;
  };
  Type i64 = withElement(builder.getI64Type());
  FloatBuilder d(builder, loc, withElement(builder.getF64Type())); // its integers are i64
  auto high = [&](Value value) -> Value {
    return arith::ShRUIOp::create(builder, loc, value, d.i(32));
  };
  Value bits = b.bitsOf(x);
  Value exponent = b.subInt(b.andInt(b.shiftRight(bits, 23), b.i(0xff)), b.i(128));
  Value mantissa = b.orInt(b.shiftLeft(bits, 8), b.i(int32_t(0x80000000)));
  mantissa = arith::ExtUIOp::create(builder, loc, i64, mantissa);
  // The digits of 2 / pi in base 2^32, the least significant first.
  static constexpr int64_t digits[] = {0x3c439041, 0xdb629599, 0xf534ddc0,
                                       0xfc2757d1, 0x4e441529, 0xa2f9836e};
  SmallVector<Value> product;
  Value carry = d.i(0);
  for (int64_t digit : digits) {
    Value sum = d.addInt(arith::MulIOp::create(builder, loc, mantissa, d.i(digit)), carry);
    product.push_back(d.andInt(sum, d.i(0xffffffff)));
    carry = high(sum);
  }
  product.push_back(carry);
  // Take three consecutive digits of the product. The first one contains the upper of the two bits
  // that count quarter turns. Shift the digits into position.
  Value digit = b.shiftRight(exponent, 5);
  auto choose = [&](unsigned offset) {
    Value chosen = product[4 + offset];
    for (int32_t k = 1; k < 4; ++k)
      chosen = d.select(b.isEqual(digit, b.i(k)), product[4 + offset - k], chosen);
    return chosen;
  };
  Value shift = arith::ExtUIOp::create(builder, loc, i64, b.andInt(exponent, b.i(31)));
  Value top = d.orInt(d.shiftLeft(choose(2), 32), choose(1));
  Value rest = arith::ShRUIOp::create(builder, loc, choose(0), d.subInt(d.i(32), shift));
  Value fixed = d.orInt(arith::ShLIOp::create(builder, loc, top, shift), rest);
  // The two top bits count quarter turns. The other bits are a signed fraction of a quarter turn;
  // if the fraction is negative, the count is one too low.
  Value fraction = d.shiftLeft(fixed, 2);
  Value whole = d.addInt(arith::ShRUIOp::create(builder, loc, fixed, d.i(62)),
                         arith::ShRUIOp::create(builder, loc, fraction, d.i(63)));
  Value turns = arith::TruncIOp::create(builder, loc, bits.getType(), whole);
  constexpr double halfPiOver2To64 = 8.515303950216386e-20;
  Value exact = d.mul(d.toFloat(fraction), d.f(halfPiOver2To64));
  Value isNegative = b.isLess(x, b.f(0.0));
  exact = d.select(isNegative, d.sub(d.f(-0.0), exact), exact);
  turns = b.select(isNegative, b.subInt(b.i(0), turns), turns);
  Value r = arith::TruncFOp::create(builder, loc, x.getType(), exact);
  Value low = d.sub(exact, arith::ExtFOp::create(builder, loc, exact.getType(), r));
  return {r, arith::TruncFOp::create(builder, loc, x.getType(), low), turns};
}

using Build = Value (*)(FloatBuilder &b, Angle angle);

Value buildSin(FloatBuilder &b, Angle angle) { return buildSine(b, angle, 0); }
Value buildCos(FloatBuilder &b, Angle angle) { return buildSine(b, angle, 1); }

/// A tangent of -0 is -0, which `reduce` loses.
template <typename Op> Value buildSmall(FloatBuilder &b, Value x, Build build) {
  Value result = build(b, reduce(b, x));
  if constexpr (std::is_same_v<Op, math::TanOp>)
    result = b.select(b.compare(arith::CmpFPredicate::OEQ, x, b.f(0.0)), x, result);
  return result;
}

/// Expands a sine, cosine or tangent. The code branches on whether any lane has a large argument.
/// If so, an op with `largeAngleAttr` computes all lanes.
template <typename Op> struct ExpandAngle : OpRewritePattern<Op> {
  Build build;
  ExpandAngle(MLIRContext *context, Build build)
      : OpRewritePattern<Op>(context, /*benefit=*/2), build(build) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    // Ops with `largeAngleAttr` are left to `ExpandLargeAngle`.
    if (!getElementTypeOrSelf(op.getType()).isF32() || op->hasAttr(largeAngleAttr))
      return failure();
    return expandAngle(op, rewriter, largestAngle,
                       [&](FloatBuilder &b, Value x) { return buildSmall<Op>(b, x, build); });
  }
};

/// Expands the ops with `largeAngleAttr` that `ExpandAngle` left. Some of their lanes may have
/// small arguments.
template <typename Op> struct ExpandLargeAngle : OpRewritePattern<Op> {
  Build build;
  ExpandLargeAngle(MLIRContext *context, Build build)
      : OpRewritePattern<Op>(context, /*benefit=*/2), build(build) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32() || !op->hasAttr(largeAngleAttr))
      return failure();
    Location loc = op.getLoc();
    Value x = op.getOperand();
    FloatBuilder b(rewriter, loc, op.getType());
    Value isLarge = b.compare(arith::CmpFPredicate::UGT, b.abs(x), b.f(largestAngle));
    Value large = build(b, reduceLarge(rewriter, loc, x));
    Value isFinite = b.isLess(b.abs(x), b.f(std::numeric_limits<double>::infinity()));
    large = b.select(isFinite, large, b.f(std::numeric_limits<double>::quiet_NaN()));
    rewriter.replaceOp(op, b.select(isLarge, large, buildSmall<Op>(b, x, build)));
    return success();
  }
};

template <template <typename> class Pattern> void addAngles(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add(std::make_unique<Pattern<math::SinOp>>(context, buildSin));
  patterns.add(std::make_unique<Pattern<math::CosOp>>(context, buildCos));
  patterns.add(std::make_unique<Pattern<math::TanOp>>(context, buildTangent));
}

} // namespace

void populateAngles(RewritePatternSet &patterns) { addAngles<ExpandAngle>(patterns); }

void populateLargeAngles(RewritePatternSet &patterns) { addAngles<ExpandLargeAngle>(patterns); }

} // namespace tssa
