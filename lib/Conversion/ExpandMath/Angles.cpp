//===- Angles.cpp - sines and cosines ------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Angles.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "tssa/Conversion/ExpandMath.h"
#include "tssa/Conversion/FloatBuilder.h"

using namespace mlir;

namespace tssa {
namespace {

/// The largest argument that `buildSinCos` reduces with sufficient accuracy.
constexpr double largestAngle = 32768.0;

/// Builds the sine of the angle of `turns` quarter turns plus `r`, where `r` lies in [-pi/4, pi/4].
Value buildSine(FloatBuilder &b, Value r, Value turns) {
  Value z = b.mul(r, r);
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

/// Reduces `x` to [-pi/4, pi/4] and a number of quarter turns, adds `quarters` to that number, and
/// builds the sine. `quarters` is 0 for the sine of `x` and 1 for the cosine.
Value buildSinCos(FloatBuilder &b, Value x, int32_t quarters) {
  auto [whole, n] = b.round(x, b.f(0.636619772367581343));
  Value turns = b.addInt(whole, b.i(quarters));
  // Subtract n * pi / 2, with pi / 2 as the sum of three f32.
  Value r = b.fma(n, b.f(-1.5707963705062866), x);
  r = b.fma(n, b.f(4.371138828673793e-08), r);
  r = b.fma(n, b.f(1.7151245100058819e-15), r);
  return buildSine(b, r, turns);
}

/// Builds the sine or cosine of an f32 whose magnitude exceeds `largestAngle`, by the method of
/// Payne and Hanek. The code multiplies the argument by enough bits of 2 / pi. It drops the bits of
/// the product that count whole turns.
Value buildLargeSinCos(OpBuilder &builder, Location loc, Value x, int32_t quarters) {
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
  Value r = arith::TruncFOp::create(builder, loc, x.getType(),
                                    d.mul(d.toFloat(fraction), d.f(halfPiOver2To64)));
  Value isNegative = b.isLess(x, b.f(0.0));
  r = b.select(isNegative, b.sub(b.f(-0.0), r), r);
  turns = b.select(isNegative, b.subInt(b.i(0), turns), turns);
  Value result = buildSine(b, r, b.addInt(turns, b.i(quarters)));
  Value isFinite = b.isLess(b.abs(x), b.f(std::numeric_limits<double>::infinity()));
  return b.select(isFinite, result, b.f(std::numeric_limits<double>::quiet_NaN()));
}

/// Whether any lane of a condition holds.
Value buildAny(OpBuilder &builder, Location loc, Value condition) {
  auto type = dyn_cast<VectorType>(condition.getType());
  if (!type)
    return condition;
  auto flat = VectorType::get(type.getNumElements(), type.getElementType());
  if (flat != type)
    condition = vector::ShapeCastOp::create(builder, loc, flat, condition);
  return vector::ReductionOp::create(builder, loc, vector::CombiningKind::OR, condition);
}

/// Expands a sine or cosine. The code branches on whether any lane has a large argument. If so, an
/// op with `largeAngleAttr` computes all lanes.
template <typename Op> struct ExpandAngle : OpRewritePattern<Op> {
  int32_t quarters;
  ExpandAngle(MLIRContext *context, int32_t quarters)
      : OpRewritePattern<Op>(context, /*benefit=*/2), quarters(quarters) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    // Ops with `largeAngleAttr` are left to `ExpandLargeAngle`.
    if (!getElementTypeOrSelf(op.getType()).isF32() || op->hasAttr(largeAngleAttr))
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
          scf::YieldOp::create(builder, loc, buildSinCos(inner, x, quarters));
        });
    rewriter.replaceOp(op, branch.getResults());
    return success();
  }
};

/// Expands the ops with `largeAngleAttr` that `ExpandAngle` left. Some of their lanes may have
/// small arguments.
template <typename Op> struct ExpandLargeAngle : OpRewritePattern<Op> {
  int32_t quarters;
  ExpandLargeAngle(MLIRContext *context, int32_t quarters)
      : OpRewritePattern<Op>(context, /*benefit=*/2), quarters(quarters) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32() || !op->hasAttr(largeAngleAttr))
      return failure();
    Location loc = op.getLoc();
    Value x = op.getOperand();
    FloatBuilder b(rewriter, loc, op.getType());
    Value isLarge = b.compare(arith::CmpFPredicate::UGT, b.abs(x), b.f(largestAngle));
    Value large = buildLargeSinCos(rewriter, loc, x, quarters);
    rewriter.replaceOp(op, b.select(isLarge, large, buildSinCos(b, x, quarters)));
    return success();
  }
};

struct ExpandTan : OpRewritePattern<math::TanOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::TanOp op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    Value sine = math::SinOp::create(rewriter, op.getLoc(), op.getOperand());
    Value cosine = math::CosOp::create(rewriter, op.getLoc(), op.getOperand());
    rewriter.replaceOpWithNewOp<arith::DivFOp>(op, sine, cosine);
    return success();
  }
};

template <template <typename> class Pattern> void addBoth(RewritePatternSet &patterns) {
  patterns.add(std::make_unique<Pattern<math::SinOp>>(patterns.getContext(), 0));
  patterns.add(std::make_unique<Pattern<math::CosOp>>(patterns.getContext(), 1));
}

} // namespace

void populateAngles(RewritePatternSet &patterns) { addBoth<ExpandAngle>(patterns); }

void populateLargeAngles(RewritePatternSet &patterns) {
  addBoth<ExpandLargeAngle>(patterns);
  patterns.add<ExpandTan>(patterns.getContext());
}

} // namespace tssa
