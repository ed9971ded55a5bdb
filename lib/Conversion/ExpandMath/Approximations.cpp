//===- Approximations.cpp - functions on f32 by polynomials --------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Expansions of functions on f32. They are accurate to a few units in the last place
/// (MathErrors.def) for each f32, including subnormal numbers, infinities and NaN. Upstream's
/// expansions are used where they are good enough. The expansions here replace those of upstream
/// that flush subnormal numbers, lose accuracy for large arguments, or are slow. The polynomial of
/// the logarithms comes from the Cephes library; those of the exponentials and of erf are minimax
/// fits.
///
//===----------------------------------------------------------------------===//

#include "Expansions.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/IR/TypeUtilities.h"
#include "tssa/Conversion/ExpandMath.h"
#include "tssa/Conversion/FloatBuilder.h"

using namespace mlir;

namespace tssa {
namespace {

constexpr double log2e = 1.44269504088896341;
constexpr double ln2 = 0.693147180559945309;

/// Coefficients of a polynomial for (e^r - 1 - r) / r^2 where |r| <= ln 2 / 2, highest power first.
constexpr double expTail[] = {1.3814539415761828e-3, 8.3687454462051392e-3, 4.1668388992547989e-2,
                              1.6666521131992340e-1, 4.9999994039535522e-1};

/// Coefficients of a polynomial for (2^r - 1) / r where |r| <= 1/2, highest power first.
constexpr double exp2Tail[] = {1.5476272100270553e-4, 1.3400270721185480e-3, 9.6180039949854551e-3,
                               5.5503277874147529e-2, 2.4022651345002000e-1, 6.9314720625127491e-1};

struct Rounded {
  Value number; ///< an integer, as a float
  Value bits;   ///< the lowest nine bits are the integer plus the bias
};

/// Rounds x * factor to an integer, for x not far from 0.
Rounded roundToPower(FloatBuilder &b, Value x, int32_t bias, double factor = log2e) {
  Value magic = b.f(12582912.0 + bias); // with 1.5 * 2^23 added, a float is rounded to an integer
  Value shifted = b.fma(x, b.f(factor), magic);
  return {b.sub(shifted, magic), b.bitsOf(shifted)};
}

/// x - n ln 2.
Value subtractPower(FloatBuilder &b, Value x, Value n) {
  Value r = b.fma(n, b.f(-0.693359375), x);
  return b.fma(n, b.f(2.12194440e-4), r);
}

/// e^r - 1 for |r| <= ln 2 / 2.
Value buildSmallExpM1(FloatBuilder &b, Value r) {
  return b.fma(b.mul(r, r), b.polynomial(r, expTail), r);
}

using Scale = function_ref<Value(Value, Value)>;

/// The bias of `bits` in `scaleByPower`: twice the exponent bias of f32, because the subtraction of
/// the bits of `outer` removes one bias.
constexpr int32_t scaleBias = 2 * 127;

/// p * 2^n for p near 1, with the sign of n in `x`.
Value scaleByPower(FloatBuilder &b, Value x, Value p, Rounded n, Scale scale) {
  if (Value scaled = scale(p, n.number))
    return scaled;
  // 2^n may be too large for an f32, so the power is applied as two factors. The product with
  // `inner` is exact, so results near both ends of the range are rounded once.
  Value outer = b.select(b.isNegative(x), b.f(0x1p-64), b.f(0x1p64));
  Value inner = b.fromBits(b.subInt(b.shiftLeft(n.bits, 23), b.bitsOf(outer)));
  return b.mul(b.mul(p, inner), outer);
}

/// e^x = 2^n e^r with n = round(x / ln 2).
Value buildExp(FloatBuilder &b, Value x, Scale scale) {
  x = b.clamp(x, -104.0, 89.0);
  Rounded n = roundToPower(b, x, scaleBias);
  SmallVector<double> coefficients(std::begin(expTail), std::end(expTail));
  coefficients.append({1.0, 1.0});
  Value p = b.polynomial(subtractPower(b, x, n.number), coefficients);
  return scaleByPower(b, x, p, n, scale);
}

/// 2^x = 2^n 2^r with n = round(x). The difference r is exact.
Value buildExp2(FloatBuilder &b, Value x, Scale scale) {
  x = b.clamp(x, -151.0, 129.0);
  Rounded n = roundToPower(b, x, scaleBias, /*factor=*/1.0);
  Value r = b.sub(x, n.number);
  Value p = b.fma(b.polynomial(r, exp2Tail), r, b.f(1.0));
  return scaleByPower(b, x, p, n, scale);
}

/// e^x - 1 for x from -26 ln 2 to 26 ln 2. In this range 2^n - 1 is exact, and a single f32 is
/// accurate enough for ln 2.
Value buildNearExpM1(FloatBuilder &b, Value x) {
  auto [n, bits] = roundToPower(b, x, 127);
  Value small = buildSmallExpM1(b, b.fma(n, b.f(-ln2), x));
  Value power = b.fromBits(b.shiftLeft(bits, 23));
  return b.fma(power, small, b.sub(power, b.f(1.0)));
}

/// e^x - 1 = 2^n (e^r - 1) + (2^n - 1). The code computes half of the sum and doubles it, because
/// 2^n may be too large.
Value buildExpM1(FloatBuilder &b, Value x) {
  x = b.clamp(x, -18.0, 89.0);
  auto [n, bits] = roundToPower(b, x, 126);
  Value small = buildSmallExpM1(b, subtractPower(b, x, n));
  Value power = b.fromBits(b.shiftLeft(bits, 23));
  Value half = b.fma(power, small, b.sub(power, b.f(0.5)));
  // For n = 0 the result is `small` itself: half of a subnormal number would lose a bit.
  return b.select(b.compare(arith::CmpFPredicate::OEQ, n, b.f(0.0)), small, b.add(half, half));
}

/// The parts of a logarithm: ln x = m + rest + exponent * ln 2, where 1 + m lies in
/// [sqrt 1/2, sqrt 2).
struct LogParts {
  Value m, rest, exponent;
};

/// Splits a positive and finite x.
LogParts splitLog(FloatBuilder &b, Value x) {
  Value isSmall = b.isLess(x, b.f(1.17549435e-38));
  Value normal = b.select(isSmall, b.mul(x, b.f(8388608.0)), x);
  constexpr int32_t one = 0x3f800000, rootHalf = 0x3f3504f3;
  Value bits = b.addInt(b.bitsOf(normal), b.i(one - rootHalf));
  Value exponent = b.subInt(b.shiftRight(bits, 23), b.select(isSmall, b.i(127 + 23), b.i(127)));
  Value m = b.fromBits(b.addInt(b.andInt(bits, b.i(0x007fffff)), b.i(rootHalf)));
  m = b.sub(m, b.f(1.0));
  Value p = b.polynomial(m, {7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1,
                             1.4249322787e-1, -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1,
                             3.3333331174e-1});
  return {m, b.mul(b.mul(p, m), b.mul(m, m)), b.toFloat(exponent)};
}

/// Replaces `result`, the logarithm of `x`, where `x` is infinite, zero, negative or NaN.
Value finishLog(FloatBuilder &b, Value x, Value result) {
  Value infinity = b.f(std::numeric_limits<double>::infinity());
  Value notANumber = b.f(std::numeric_limits<double>::quiet_NaN());
  result = b.select(b.compare(arith::CmpFPredicate::OEQ, x, infinity), infinity, result);
  result = b.select(b.compare(arith::CmpFPredicate::OEQ, x, b.f(0.0)),
                    b.f(-std::numeric_limits<double>::infinity()), result);
  // The logarithm of a negative number or of NaN is NaN.
  return b.select(b.compare(arith::CmpFPredicate::ULT, x, b.f(0.0)), notANumber, result);
}

Value buildLog(FloatBuilder &b, Value x) {
  auto [m, rest, e] = splitLog(b, x);
  Value y = b.fma(e, b.f(-2.12194440e-4), rest);
  y = b.fma(b.mul(m, m), b.f(-0.5), y);
  return finishLog(b, x, b.fma(e, b.f(0.693359375), b.add(m, y)));
}

Value buildLog2(FloatBuilder &b, Value x) {
  auto [m, rest, e] = splitLog(b, x);
  Value y = b.fma(b.mul(m, m), b.f(-0.5), rest);
  // 1 / ln 2 is 1 + 0.4427, so only the second part is multiplied.
  y = b.fma(b.add(m, y), b.f(4.4269504088896340736e-1), y);
  return finishLog(b, x, b.add(b.add(m, y), e));
}

Value buildLog10(FloatBuilder &b, Value x) {
  auto [m, rest, e] = splitLog(b, x);
  Value y = b.fma(b.mul(m, m), b.f(-0.5), rest);
  // The logarithms of e and 2 are sums of a short number and a small one.
  constexpr double log10e = 4.3359375e-1, log10eRest = 7.00731903251827651129e-4;
  constexpr double log10of2 = 3.0078125e-1, log10of2Rest = 2.48745663981195213739e-4;
  Value low = b.fma(y, b.f(log10e), b.mul(b.add(m, y), b.f(log10eRest)));
  low = b.fma(e, b.f(log10of2Rest), low);
  return finishLog(b, x, b.fma(e, b.f(log10of2), b.fma(m, b.f(log10e), low)));
}

/// (e^2x - 1) / (e^2x + 1), which rounds to 1 from 9.02 on.
Value buildTanh(FloatBuilder &b, Value x) {
  Value a = b.atMost(b.abs(x), 9.1);
  Value power = buildNearExpM1(b, b.add(a, a));
  return b.copySign(b.div(power, b.add(power, b.f(2.0))), x);
}

/// 1 - e^-p(x), where p is the negative logarithm of erfc. The result rounds to 1 from 3.92 on.
Value buildErf(FloatBuilder &b, Value x) {
  Value a = b.atMost(b.abs(x), 4.0);
  // (p(a) - a) / a
  Value p = b.polynomial(a, {-9.255514669348486e-6, 1.1763427755795419e-4, -6.3281069742515683e-4,
                             1.6669769538566470e-3, -1.6034212603699416e-4, -1.9153095781803131e-2,
                             1.0277783870697021e-1, 6.3661938905715942e-1, 1.28379167e-1});
  Value power = buildNearExpM1(b, b.sub(b.f(-0.0), b.fma(p, a, a)));
  return b.copySign(power, x);
}

/// Computes remainders of 16-bit types in f32, where the result is exact.
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

} // namespace

void populateApproximations(RewritePatternSet &patterns, const MathInstructions &instructions) {
  populateMathF32ExpansionPatterns(patterns, [](StringRef) { return true; }, 3);
  auto withScale = [=](Value (*build)(FloatBuilder &, Value, Scale)) {
    return [=](FloatBuilder &b, Value x) {
      return build(b, x, [&](Value m, Value n) {
        return instructions.scale ? instructions.scale(b.getBuilder(), b.getLoc(), m, n) : Value();
      });
    };
  };
  addExpansion<math::ExpOp>(patterns, withScale(buildExp));
  addExpansion<math::Exp2Op>(patterns, withScale(buildExp2));
  addExpansion<math::ExpM1Op>(patterns, buildExpM1);
  addExpansion<math::ErfOp>(patterns, buildErf);
  addExpansion<math::LogOp>(patterns, buildLog);
  addExpansion<math::Log2Op>(patterns, buildLog2);
  addExpansion<math::Log10Op>(patterns, buildLog10);
  addExpansion<math::TanhOp>(patterns, buildTanh);
  populateArcs(patterns);
  populateWideFunctions(patterns);
  populateAngles(patterns);
  populateSmallRemainder(patterns);
  patterns.add<WidenRemainder>(patterns.getContext());
  populateMathPolynomialApproximationPatterns(
      patterns, [](StringRef name) { return name == "math.log1p"; }, 2);
}

} // namespace tssa
