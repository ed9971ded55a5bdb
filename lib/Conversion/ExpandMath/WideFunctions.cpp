//===- WideFunctions.cpp - functions on f32 that need more bits ----------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Functions on f32 that are computed in f64, to a relative error of about 1e-10, erfc of 2e-9.
/// Rounded to f32 their error is 0.51 and 0.55 units in the last place (MathErrors.def). The
/// polynomials are short, because they need not be exact to all bits of f64; they are minimax fits.
/// An f32 is a normal number in f64 even if it is subnormal.
///
//===----------------------------------------------------------------------===//

#include "Expansions.h"

using namespace mlir;

namespace tssa {
namespace {

using P = arith::CmpFPredicate;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();
constexpr double pi = 3.14159265358979323846;
constexpr double ln2 = 0.693147180559945309417;
constexpr double log2e = 1.44269504088896340736;
constexpr double magic = 6755399441055744.0; // 1.5 * 2^52; see FloatBuilder::round

/// Below this, asinh and atanh are the first terms of their series.
constexpr double smallArgument = 0x1p-12;

//===----------------------------------------------------------------------===//
// Exponentials
//===----------------------------------------------------------------------===//

/// m * 2^n for a result that is a normal number.
Value scale(FloatBuilder &b, Value m, Value n) {
  return b.fromBits(b.addInt(b.bitsOf(m), b.shiftLeft(n, 52)));
}

/// 2^x for x from -1000 to 1000.
Value buildExp2(FloatBuilder &b, Value x) {
  auto [integer, n] = b.round(x, b.f(1.0));
  Value p = b.polynomial(b.sub(x, n),
                         {1.5316461023821041e-5, 1.5469731690139296e-4, 1.3333422648062992e-3,
                          9.6180256040296359e-3, 5.5504109761064631e-2, 2.4022651213585261e-1,
                          6.9314718053502755e-1, 9.9999999995954969e-1});
  return scale(b, p, integer);
}

struct Halves {
  Value up, down; ///< e^a / 2 and e^-a / 2
};

/// Separates 2^r / 2 into its even and odd part, which also give 2^-r / 2.
Halves buildHalves(FloatBuilder &b, Value a) {
  Value x = b.mul(b.atMost(a, 100.0), b.f(log2e));
  auto [integer, n] = b.round(x, b.f(1.0));
  Value r = b.sub(x, n), z = b.mul(r, r);
  Value even = b.polynomial(z, {7.7348673654554995e-5, 4.8090127963152409e-3, 1.2011325606846034e-1,
                                4.9999999997976741e-1});
  Value odd = b.polynomial(z, {7.6518521466504620e-6, 6.6667391730190935e-4, 2.7752054531691700e-2,
                               3.4657359027783534e-1});
  Value up = scale(b, b.fma(odd, r, even), integer);
  odd = b.sub(b.f(0.0), odd);
  Value down = scale(b, b.fma(odd, r, even), b.subInt(b.i(0), integer));
  return {up, down};
}

Value buildSinh(FloatBuilder &b, Value x) {
  Value a = b.abs(x), z = b.mul(a, a);
  auto [up, down] = buildHalves(b, a);
  Value p = b.polynomial(z, {2.8174395135564460e-6, 1.9836066273699177e-4, 8.3333505978990877e-3,
                             1.6666666488721210e-1});
  Value near = b.fma(b.mul(a, z), p, a);
  return b.copySign(b.select(b.isLess(a, b.f(1.0)), near, b.sub(up, down)), x);
}

Value buildCosh(FloatBuilder &b, Value x) {
  auto [up, down] = buildHalves(b, b.abs(x));
  return b.add(up, down);
}

/// erfc a = e^(-a^2) p(t) / (a + 3) with t = 1 - 6 / (a + 3). Beyond 10.1 it rounds to 0.
Value buildErfc(FloatBuilder &b, Value x) {
  Value a = b.atMost(b.abs(x), 10.1);
  Value inverse = b.div(b.f(1.0), b.add(a, b.f(3.0)));
  Value t = b.fma(inverse, b.f(-6.0), b.f(1.0));
  Value p = b.polynomial(t, {-3.2595231021627987e-4, -4.8437198314581458e-4, 3.0800656357665053e-3,
                             -1.2258194871609593e-3, -2.6839588515808921e-2, 1.1952896669841544e-1,
                             -3.1046604617417556e-1, 5.9022830456330644e-1, -8.8339448514154040e-1,
                             1.0740069077011229});
  Value power = buildExp2(b, b.mul(b.mul(a, a), b.f(-log2e)));
  Value tail = b.mul(b.mul(inverse, p), power);
  return b.select(b.isLess(x, b.f(0.0)), b.sub(b.f(2.0), tail), tail);
}

//===----------------------------------------------------------------------===//
// Logarithms
//===----------------------------------------------------------------------===//

constexpr int64_t mantissaMask = 0x000fffffffffffff;

/// The biased exponent that stands above the mantissa in `bits`, as a number without the bias: the
/// mantissa of 2^52 + n holds the integer n.
Value getExponent(FloatBuilder &b, Value bits) {
  Value biased = b.orInt(b.shiftRightUnsigned(bits, 52), b.i(0x4330000000000000));
  return b.sub(b.fromBits(biased), b.f(0x1p52 + 1023.0));
}

/// ln(high / low) for a quotient in [sqrt 1/2, sqrt 2], by the series of atanh s.
Value buildLogOfQuotient(FloatBuilder &b, Value high, Value low, ArrayRef<double> coefficients) {
  Value s = b.div(b.sub(high, low), b.add(high, low));
  Value z = b.mul(s, s);
  s = b.add(s, s);
  return b.fma(b.mul(s, z), b.polynomial(z, coefficients), s);
}

constexpr double shortSeries[] = {1.1791146649440869e-1, 1.4268650754343279e-1,
                                  2.0000167646953043e-1, 3.3333332822519496e-1};

/// ln x for positive normal numbers.
Value buildLog(FloatBuilder &b, Value x) {
  auto [m, exponent] = splitNormal(b, x);
  return b.fma(exponent, b.f(ln2), buildLogOfQuotient(b, m, b.f(1.0), shortSeries));
}

/// ln(a + sqrt(a^2 + 1)).
Value buildAsinh(FloatBuilder &b, Value x) {
  Value a = b.abs(x), z = b.mul(a, a);
  Value far = buildLog(b, b.add(a, b.sqrt(b.add(z, b.f(1.0)))));
  far = b.select(b.isLess(a, b.f(infinity)), far, a);
  Value near = b.fma(b.mul(a, z), b.f(-1.0 / 6), a);
  return b.copySign(b.select(b.isLess(a, b.f(smallArgument)), near, far), x);
}

/// ln(x + sqrt(x^2 - 1)).
Value buildAcosh(FloatBuilder &b, Value x) {
  Value root = b.sqrt(b.mul(b.sub(x, b.f(1.0)), b.add(x, b.f(1.0))));
  Value result = buildLog(b, b.add(x, root));
  result = b.select(b.isLess(x, b.f(infinity)), result, x);
  return b.select(b.isLess(x, b.f(1.0)), b.f(notANumber), result);
}

/// ln((1 + a) / (1 - a)) / 2.
Value buildAtanh(FloatBuilder &b, Value x) {
  Value a = b.abs(x), one = b.f(1.0);
  auto [low, exponent] = splitNormal(b, b.sub(one, a));
  Value high = b.add(a, one);
  Value isHigh = b.isLess(b.mul(low, b.f(1.41421356237309504880)), high);
  high = b.select(isHigh, b.mul(high, b.f(0.5)), high);
  exponent = b.select(isHigh, b.sub(exponent, one), exponent);
  Value log = buildLogOfQuotient(b, high, low, shortSeries);
  Value far = b.mul(b.fma(exponent, b.f(-ln2), log), b.f(0.5));
  Value pole = b.select(b.compare(P::OEQ, a, one), b.f(infinity), b.f(notANumber));
  far = b.select(b.isLess(a, one), far, pole);
  Value near = b.fma(b.mul(a, b.mul(a, a)), b.f(1.0 / 3), a);
  return b.copySign(b.select(b.isLess(a, b.f(smallArgument)), near, far), x);
}

/// 2^(y log2 |x|).
Value buildPower(FloatBuilder &b, Value x, Value y) {
  Value a = b.abs(x), zero = b.f(0.0);
  auto [m, exponent] = splitNormal(b, a);
  Value log =
      buildLogOfQuotient(b, m, b.f(1.0),
                         {9.7921016714315440e-2, 1.1088092376471098e-1, 1.4286054631245323e-1,
                          1.9999997810369868e-1, 3.3333333337902321e-1});
  log = b.fma(log, b.f(log2e), exponent);
  log = b.select(b.compare(P::OEQ, a, zero), b.f(-infinity), log);
  log = b.select(b.compare(P::OEQ, a, b.f(infinity)), a, log);
  // The product of 0 and an infinite y would be NaN.
  Value product = b.select(b.compare(P::OEQ, log, zero), zero, b.mul(y, log));
  return buildExp2(b, b.clamp(product, -300.0, 300.0));
}

//===----------------------------------------------------------------------===//
// Others
//===----------------------------------------------------------------------===//

/// Takes ratios greater than tan(pi / 8) around pi / 4.
Value buildAtan2(FloatBuilder &b, Value y, Value x) {
  Value ax = b.abs(x), ay = b.abs(y), zero = b.f(0.0), one = b.f(1.0);
  Value isSteep = b.isLess(ax, ay);
  Value low = b.select(isSteep, ax, ay), high = b.select(isSteep, ay, ax);
  // The ratio of two infinite numbers counts as 1 here, that of two zeros as 0.
  Value isInfinite = b.compare(P::OEQ, low, b.f(infinity));
  low = b.select(isInfinite, one, low);
  high = b.select(isInfinite, one, high);
  high = b.select(b.compare(P::OEQ, high, zero), one, high);
  Value isMedium = b.isLess(b.mul(high, b.f(0.41421356237309504880)), low);
  Value upper = b.select(isMedium, b.sub(low, high), low);
  Value lower = b.select(isMedium, b.add(low, high), high);
  Value t = b.div(upper, lower), z = b.mul(t, t);
  Value p =
      b.polynomial(z, {4.7481846254005505e-2, -8.4783642301885842e-2, 1.1045086371476906e-1,
                       -1.4282041523913147e-1, 1.9999905168602128e-1, -3.3333332514414710e-1});
  Value angle = b.add(b.fma(b.mul(t, z), p, t), b.select(isMedium, b.f(pi / 4), zero));
  angle = b.select(isSteep, b.sub(b.f(pi / 2), angle), angle);
  angle = b.select(b.isNegative(x), b.sub(b.f(pi), angle), angle);
  return b.select(b.compare(P::UNO, x, y), b.f(notANumber), b.copySign(angle, y));
}

/// The cube root of m 2^e, from r near 1 / cbrt m. A step of a method of third order improves r.
Value buildCbrt(FloatBuilder &b, Value x) {
  Value a = b.abs(x), bits = b.bitsOf(a);
  Value m = b.orInt(b.andInt(bits, b.i(mantissaMask)), b.i(0x3ff0000000000000));
  Value exponent = getExponent(b, bits);
  auto [third, n] = b.round(exponent, b.f(1.0 / 3));
  Value left = b.fma(n, b.f(-3.0), exponent); // -1, 0 or 1
  Value root = b.polynomial(b.fromBits(m), {-4.9936847916302957e-2, 3.1775688252437922e-1,
                                            -8.0995997142009735e-1, 1.5418868496764664});
  Value factor = b.select(b.isLess(left, b.f(-0.5)), b.f(1.25992104989487316), b.f(1.0));
  factor = b.select(b.isLess(b.f(0.5), left), b.f(0.793700525984099737), factor);
  Value r = b.mul(root, factor);
  Value scaled = scale(b, b.fromBits(m), b.bitsOf(b.add(left, b.f(magic))));
  Value square = b.mul(r, r), one = b.f(1.0);
  Value error = b.fma(b.mul(b.sub(b.f(0.0), scaled), square), r, one);
  Value step = b.mul(error, b.fma(error, b.f(2.0 / 9), b.f(1.0 / 3)));
  r = b.fma(r, step, r);
  Value y = scale(b, b.mul(scaled, b.mul(r, r)), third);
  Value isOrdinary = b.isAnd(b.isLess(b.f(0.0), a), b.isLess(a, b.f(infinity)));
  return b.select(isOrdinary, b.copySign(y, x), x);
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

/// Calls `build` with `operands` in f64, and rounds its result.
Value computeWide(FloatBuilder &b, ValueRange operands,
                  function_ref<Value(FloatBuilder &, ArrayRef<Value>)> build) {
  OpBuilder &builder = b.getBuilder();
  Type type = operands.front().getType();
  auto vector = dyn_cast<VectorType>(type);
  Type wide = vector ? Type(vector.clone(builder.getF64Type())) : builder.getF64Type();
  SmallVector<Value> extended;
  for (Value operand : operands)
    extended.push_back(arith::ExtFOp::create(builder, b.getLoc(), wide, operand));
  FloatBuilder inner(builder, b.getLoc(), wide);
  return arith::TruncFOp::create(builder, b.getLoc(), type, build(inner, extended));
}

template <typename Op>
void addWide(RewritePatternSet &patterns, Value (*build)(FloatBuilder &, Value)) {
  addExpansion<Op>(patterns, [=](FloatBuilder &b, Value x) {
    return computeWide(b, x, [&](FloatBuilder &wide, ArrayRef<Value> operands) {
      return build(wide, operands[0]);
    });
  });
}

/// Expands a function of two f32.
template <typename Op> struct ExpandPair : OpRewritePattern<Op> {
  Value (*build)(FloatBuilder &, Value, Value);
  ExpandPair(MLIRContext *context, Value (*build)(FloatBuilder &, Value, Value))
      : OpRewritePattern<Op>(context, /*benefit=*/2), build(build) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    FloatBuilder b(rewriter, op.getLoc(), op.getType());
    Value result = computeWide(b, op->getOperands(), [&](FloatBuilder &wide, ArrayRef<Value> x) {
      return build(wide, x[0], x[1]);
    });
    if constexpr (std::is_same_v<Op, math::PowFOp>)
      result = finishPower(b, op.getLhs(), op.getRhs(), result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

} // namespace

BinaryParts splitNormal(FloatBuilder &b, Value x) {
  constexpr int64_t one = 0x3ff0000000000000, rootHalf = 0x3fe6a09e667f3bcd;
  Value bits = b.addInt(b.bitsOf(x), b.i(one - rootHalf));
  Value m = b.fromBits(b.addInt(b.andInt(bits, b.i(mantissaMask)), b.i(rootHalf)));
  return {m, getExponent(b, bits)};
}

BinaryParts splitPositive(FloatBuilder &b, Value x) {
  Value isSmall = b.isLess(x, b.f(0x1p-1022));
  auto [m, exponent] = splitNormal(b, b.select(isSmall, b.mul(x, b.f(0x1p54)), x));
  return {m, b.sub(exponent, b.select(isSmall, b.f(54.0), b.f(0.0)))};
}

Value finishPower(FloatBuilder &b, Value x, Value y, Value power) {
  Value zero = b.f(0.0), one = b.f(1.0), half = b.mul(y, b.f(0.5));
  Value isInteger = b.compare(P::OEQ, b.trunc(y), y);
  Value isOdd = b.isAnd(isInteger, b.compare(P::ONE, b.trunc(half), half));
  Value result = b.select(b.isAnd(b.isNegative(x), isOdd), b.copySign(power, b.f(-1.0)), power);
  Value isBelow = b.isAnd(b.isLess(x, zero), b.isLess(b.f(-infinity), x));
  Value isBroken = b.isAnd(isBelow, b.compare(P::UNE, b.trunc(y), y));
  result = b.select(isBroken, b.f(notANumber), result);
  result = b.select(b.compare(P::UNO, x, y), b.f(notANumber), result);
  result = b.select(b.compare(P::OEQ, x, one), one, result);
  return b.select(b.compare(P::OEQ, y, zero), one, result);
}

void populateWideFunctions(RewritePatternSet &patterns) {
  addWide<math::SinhOp>(patterns, buildSinh);
  addWide<math::CoshOp>(patterns, buildCosh);
  addWide<math::ErfcOp>(patterns, buildErfc);
  addWide<math::AsinhOp>(patterns, buildAsinh);
  addWide<math::AcoshOp>(patterns, buildAcosh);
  addWide<math::AtanhOp>(patterns, buildAtanh);
  addWide<math::CbrtOp>(patterns, buildCbrt);
  MLIRContext *context = patterns.getContext();
  patterns.add(std::make_unique<ExpandPair<math::Atan2Op>>(context, buildAtan2));
  patterns.add(std::make_unique<ExpandPair<math::PowFOp>>(context, buildPower));
}

} // namespace tssa
