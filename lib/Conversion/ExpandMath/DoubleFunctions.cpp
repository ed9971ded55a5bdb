//===- DoubleFunctions.cpp - functions on f64 by polynomials -------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Functions on f64. They are accurate to a few units in the last place. The rational functions
/// come from the Cephes library.
///
//===----------------------------------------------------------------------===//

#include "Expansions.h"
#include "mlir/IR/TypeUtilities.h"
#include "tssa/Conversion/ExpandMath.h"
#include "tssa/Conversion/FloatBuilder.h"

using namespace mlir;

namespace tssa {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();
constexpr double pi = 3.14159265358979323846;
constexpr double ln2 = 0.693147180559945309417;

/// P(x) / Q(x).
Value quotient(FloatBuilder &b, Value x, ArrayRef<double> p, ArrayRef<double> q) {
  return b.div(b.polynomial(x, p), b.polynomial(x, q));
}

//===----------------------------------------------------------------------===//
// Exponentials
//===----------------------------------------------------------------------===//

/// e^r - 1 for |r| up to ln 2 / 2 or a little more.
Value buildSmallExpM1(FloatBuilder &b, Value r) {
  Value z = b.mul(r, r);
  Value p = b.mul(r, b.polynomial(z, {1.26177193074810590878e-4, 3.02994407707441961300e-2,
                                      9.99999999999999999910e-1}));
  Value q = b.polynomial(z, {3.00198505138664455042e-6, 2.52448340349684104192e-3,
                             2.27265548208155028766e-1, 2.00000000000000000009e0});
  Value half = b.div(p, b.sub(q, p));
  return b.add(half, half);
}

/// m * 2^n. The power is applied as two factors of about 2^(n/2), so that results near both ends of
/// the range are rounded once.
Value scale(FloatBuilder &b, Value m, Value n) {
  Value half = b.shiftRight(n, 1);
  return b.mul(b.mul(m, b.powerOfTwo(half)), b.powerOfTwo(b.subInt(n, half)));
}

Value buildExp(FloatBuilder &b, Value x) {
  x = b.clamp(x, -746.0, 710.0);
  auto [integer, n] = b.round(x, b.f(1.44269504088896340736));
  Value r = b.fma(n, b.f(-6.93145751953125e-1), x);
  r = b.fma(n, b.f(-1.42860682030941723212e-6), r);
  return scale(b, b.add(buildSmallExpM1(b, r), b.f(1.0)), integer);
}

Value buildExp2(FloatBuilder &b, Value x) {
  x = b.clamp(x, -1076.0, 1025.0);
  auto [integer, n] = b.round(x, b.f(1.0));
  Value r = b.mul(b.sub(x, n), b.f(ln2));
  return scale(b, b.add(buildSmallExpM1(b, r), b.f(1.0)), integer);
}

Value buildExpM1(FloatBuilder &b, Value x) {
  Value isSmall = b.isLess(b.abs(x), b.f(0.5));
  Value small = b.select(isSmall, x, b.f(0.0));
  return b.select(isSmall, b.copySign(buildSmallExpM1(b, small), x),
                  b.sub(buildExp(b, x), b.f(1.0)));
}

//===----------------------------------------------------------------------===//
// Logarithms
//===----------------------------------------------------------------------===//

struct LogParts {
  Value log; ///< ln m
  Value exponent;
};

/// x = m * 2^exponent for positive and finite x. The polynomial for ln m is that of fdlibm: with
/// f = m - 1 and s = f / (2 + f), ln m = f - f^2 / 2 + s (f^2 / 2 + R(s^2)).
LogParts splitLog(FloatBuilder &b, Value x) {
  auto [m, exponent] = splitPositive(b, x);
  Value f = b.sub(m, b.f(1.0));
  Value s = b.div(f, b.add(m, b.f(1.0))), z = b.mul(s, s);
  Value p =
      b.polynomial(z, {1.479819860511658591e-01, 1.531383769920937332e-01, 1.818357216161805012e-01,
                       2.222219843214978396e-01, 2.857142874366239149e-01, 3.999999999940941908e-01,
                       6.666666666666735130e-01});
  Value half = b.mul(b.mul(f, b.f(0.5)), f);
  Value log = b.sub(f, b.sub(half, b.mul(s, b.fma(z, p, half))));
  return {log, exponent};
}

/// Replaces `result`, the logarithm of `x`, where `x` is infinite, zero, negative or NaN.
Value finishLog(FloatBuilder &b, Value x, Value result) {
  result = b.select(b.compare(arith::CmpFPredicate::OEQ, x, b.f(infinity)), x, result);
  result = b.select(b.compare(arith::CmpFPredicate::OEQ, x, b.f(0.0)), b.f(-infinity), result);
  // The logarithm of a negative number or of NaN is NaN.
  return b.select(b.compare(arith::CmpFPredicate::ULT, x, b.f(0.0)), b.f(notANumber), result);
}

Value buildLog(FloatBuilder &b, Value x) {
  LogParts parts = splitLog(b, x);
  Value result = b.fma(parts.exponent, b.f(-2.121944400546905827679e-4), parts.log);
  return finishLog(b, x, b.fma(parts.exponent, b.f(0.693359375), result));
}

Value buildLog2(FloatBuilder &b, Value x) {
  LogParts parts = splitLog(b, x);
  // 1 / ln 2 is 1 + 0.4427, so only the second part is multiplied.
  Value rest = b.mul(parts.log, b.f(4.4269504088896340735992e-1));
  return finishLog(b, x, b.add(b.add(rest, parts.log), parts.exponent));
}

Value buildLog10(FloatBuilder &b, Value x) {
  LogParts parts = splitLog(b, x);
  Value result = b.mul(parts.exponent, b.f(3.69423907715893078616e-13)); // the low part of log10 2
  result = b.fma(parts.log, b.f(0.43429448190325182765), result);
  return finishLog(b, x, b.fma(parts.exponent, b.f(3.01029995663611771306e-1), result));
}

/// ln(1 + x) = ln u, corrected by the rounding error of u = 1 + x.
Value buildLog1p(FloatBuilder &b, Value x) {
  Value u = b.add(x, b.f(1.0));
  Value lost = b.sub(x, b.sub(u, b.f(1.0)));
  Value plain = buildLog(b, u);
  Value isOrdinary = b.isAnd(b.isLess(b.f(0.0), u), b.isLess(u, b.f(infinity)));
  Value result = b.select(isOrdinary, b.add(plain, b.div(lost, u)), plain);
  return b.select(b.compare(arith::CmpFPredicate::OEQ, u, b.f(1.0)), x, result);
}

//===----------------------------------------------------------------------===//
// Hyperbolic functions
//===----------------------------------------------------------------------===//

Value buildTanh(FloatBuilder &b, Value x) {
  Value magnitude = b.abs(x), z = b.mul(x, x);
  Value p = quotient(
      b, z, {-9.64399179425052238628e-1, -9.92877231001918586564e1, -1.61468768441708447952e3},
      {1.0, 1.12811678491632931402e2, 2.23548839060100448583e3, 4.84406305325125486048e3});
  Value near = b.fma(b.mul(x, z), p, x);
  Value power = buildExp(b, b.add(magnitude, magnitude));
  Value far = b.sub(b.f(1.0), b.div(b.f(2.0), b.add(power, b.f(1.0))));
  return b.select(b.isLess(magnitude, b.f(0.625)), near, b.copySign(far, x));
}

/// e^x / 2, without an overflow of e^x.
Value buildHalfExp(FloatBuilder &b, Value x) {
  Value root = buildExp(b, b.mul(x, b.f(0.5)));
  return b.mul(b.mul(root, b.f(0.5)), root);
}

Value buildSinh(FloatBuilder &b, Value x) {
  Value magnitude = b.abs(x);
  Value e = buildExpM1(b, magnitude);
  Value near = b.mul(b.f(0.5), b.add(e, b.div(e, b.add(e, b.f(1.0)))));
  Value result = b.select(b.isLess(magnitude, b.f(22.0)), near, buildHalfExp(b, magnitude));
  return b.copySign(result, x);
}

Value buildCosh(FloatBuilder &b, Value x) {
  Value magnitude = b.abs(x);
  Value e = buildExp(b, magnitude);
  Value near = b.mul(b.f(0.5), b.add(e, b.div(b.f(1.0), e)));
  return b.select(b.isLess(magnitude, b.f(22.0)), near, buildHalfExp(b, magnitude));
}

Value buildAsinh(FloatBuilder &b, Value x) {
  Value a = b.abs(x), z = b.mul(a, a);
  Value root = b.sqrt(b.add(z, b.f(1.0)));
  Value near = buildLog1p(b, b.add(a, b.div(z, b.add(root, b.f(1.0)))));
  Value far = b.add(buildLog(b, a), b.f(ln2));
  return b.copySign(b.select(b.isLess(a, b.f(1e9)), near, far), x);
}

Value buildAcosh(FloatBuilder &b, Value x) {
  Value t = b.sub(x, b.f(1.0));
  Value near = buildLog1p(b, b.add(t, b.sqrt(b.fma(t, t, b.add(t, t)))));
  Value far = b.add(buildLog(b, x), b.f(ln2));
  Value result = b.select(b.isLess(x, b.f(1e9)), near, far);
  return b.select(b.isLess(x, b.f(1.0)), b.f(notANumber), result);
}

Value buildAtanh(FloatBuilder &b, Value x) {
  Value a = b.abs(x);
  Value ratio = b.div(b.add(a, a), b.sub(b.f(1.0), a));
  return b.copySign(b.mul(b.f(0.5), buildLog1p(b, ratio)), x);
}

//===----------------------------------------------------------------------===//
// Inverse trigonometric functions
//===----------------------------------------------------------------------===//

Value buildAtan(FloatBuilder &b, Value x) {
  Value a = b.abs(x);
  Value isLarge = b.isLess(b.f(2.41421356237309504880), a);
  Value isMedium = b.isLess(b.f(0.66), a);
  Value medium = b.div(b.sub(a, b.f(1.0)), b.add(a, b.f(1.0)));
  Value t = b.select(isLarge, b.div(b.f(-1.0), a), b.select(isMedium, medium, a));
  Value base = b.select(isLarge, b.f(pi / 2), b.select(isMedium, b.f(pi / 4), b.f(0.0)));
  constexpr double rest = 6.123233995736765886130e-17; // the low part of pi / 2
  Value more = b.select(isLarge, b.f(rest), b.select(isMedium, b.f(rest / 2), b.f(0.0)));
  Value z = b.mul(t, t);
  Value p =
      quotient(b, z,
               {-8.750608600031904122785e-1, -1.615753718733365076637e1, -7.500855792314704667340e1,
                -1.228866684490136173410e2, -6.485021904942025371773e1},
               {1.0, 2.485846490142306297962e1, 1.650270098316988542046e2,
                4.328810604912902668951e2, 4.853903996359136964868e2, 1.945506571482613964425e2});
  Value result = b.add(b.add(b.fma(b.mul(z, p), t, t), more), base);
  return b.copySign(result, x);
}

Value buildAtan2(FloatBuilder &b, Value y, Value x) {
  Value ax = b.abs(x), ay = b.abs(y);
  Value isSteep = b.isLess(ax, ay);
  Value low = b.select(isSteep, ax, ay), high = b.select(isSteep, ay, ax);
  Value isEqual = b.compare(arith::CmpFPredicate::OEQ, low, high); // both may be infinite
  Value isZero = b.compare(arith::CmpFPredicate::OEQ, high, b.f(0.0));
  Value ratio = b.select(isZero, b.f(0.0), b.select(isEqual, b.f(1.0), b.div(low, high)));
  Value angle = buildAtan(b, ratio);
  angle = b.select(isSteep, b.sub(b.f(pi / 2), angle), angle);
  Value isLeft = b.isLess(b.copySign(b.f(1.0), x), b.f(0.0));
  angle = b.select(isLeft, b.sub(b.f(pi), angle), angle);
  Value isNaN = b.compare(arith::CmpFPredicate::UNO, x, y);
  return b.select(isNaN, b.f(notANumber), b.copySign(angle, y));
}

Value buildAsin(FloatBuilder &b, Value x) {
  Value other = b.sqrt(b.mul(b.sub(b.f(1.0), x), b.add(b.f(1.0), x)));
  return buildAtan2(b, x, other);
}

Value buildAcos(FloatBuilder &b, Value x) {
  Value angle = buildAtan2(b, b.sqrt(b.sub(b.f(1.0), x)), b.sqrt(b.add(b.f(1.0), x)));
  return b.add(angle, angle);
}

//===----------------------------------------------------------------------===//
// Others
//===----------------------------------------------------------------------===//

/// erfc(a) for a >= 1.
Value buildTail(FloatBuilder &b, Value a) {
  Value near =
      quotient(b, a,
               {2.46196981473530512524e-10, 5.64189564831068821977e-1, 7.46321056442269912687e0,
                4.86371970985681366614e1, 1.96520832956077098242e2, 5.26445194995477358631e2,
                9.34528527171957607540e2, 1.02755188689515710272e3, 5.57535335369399327526e2},
               {1.0, 1.32281951154744992508e1, 8.67072140885989742329e1, 3.54937778887819891062e2,
                9.75708501743205489753e2, 1.82390916687909736289e3, 2.24633760818710981792e3,
                1.65666309194161350182e3, 5.57535340817727675546e2});
  Value far =
      quotient(b, a,
               {5.64189583547755073984e-1, 1.27536670759978104416e0, 5.01905042251180477414e0,
                6.16021097993053585195e0, 7.40974269950448939160e0, 2.97886665372100240670e0},
               {1.0, 2.26052863220117276590e0, 9.39603524938001434673e0, 1.20489539808096656605e1,
                1.70814450747565897222e1, 9.60896809063285878198e0, 3.36907645100081516050e0});
  // e^(-a^2), with a^2 as the sum of a rounded square and a small rest.
  Value square = b.mul(a, a);
  Value rest = b.fma(a, a, b.sub(b.f(0.0), square));
  Value power = buildExp(b, b.sub(b.f(0.0), square));
  power = b.sub(power, b.mul(power, rest));
  return b.mul(power, b.select(b.isLess(a, b.f(8.0)), near, far));
}

Value buildErfNearZero(FloatBuilder &b, Value x) {
  Value ratio =
      quotient(b, b.mul(x, x),
               {9.60497373987051638749e0, 9.00260197203842689217e1, 2.23200534594684319226e3,
                7.00332514112805075473e3, 5.55923013010394962768e4},
               {1.0, 3.35617141647503099647e1, 5.21357949780152679795e2, 4.59432382970980127987e3,
                2.26290000613890934246e4, 4.92673942608635921086e4});
  return b.mul(x, ratio);
}

/// Returns |x|, but at most 28. Beyond 28, erfc is 0.
Value limitTail(FloatBuilder &b, Value x) { return b.atMost(b.abs(x), 28.0); }

Value buildErf(FloatBuilder &b, Value x) {
  Value a = limitTail(b, x);
  Value far = b.copySign(b.sub(b.f(1.0), buildTail(b, a)), x);
  return b.select(b.isLess(a, b.f(1.0)), buildErfNearZero(b, x), far);
}

Value buildErfc(FloatBuilder &b, Value x) {
  Value a = limitTail(b, x);
  Value tail = buildTail(b, a);
  Value far = b.select(b.isLess(x, b.f(0.0)), b.sub(b.f(2.0), tail), tail);
  return b.select(b.isLess(a, b.f(1.0)), b.sub(b.f(1.0), buildErfNearZero(b, x)), far);
}

/// Estimates the cube root by a logarithm and an exponential, and improves the estimate by a step
/// of Newton's method.
Value buildCbrt(FloatBuilder &b, Value x) {
  Value a = b.abs(x);
  Value y = buildExp(b, b.mul(buildLog(b, a), b.f(1.0 / 3)));
  Value square = b.mul(y, y);
  Value step = b.div(b.fma(square, y, b.sub(b.f(0.0), a)), b.mul(square, b.f(3.0)));
  y = b.sub(y, step);
  Value isNumber = b.isLess(b.f(0.0), a);
  Value isFinite = b.isLess(a, b.f(infinity));
  return b.select(isNumber, b.select(isFinite, b.copySign(y, x), x), x);
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

template <typename Op> struct ExpandDouble : OpRewritePattern<Op> {
  using Build = Value (*)(FloatBuilder &, Value);
  Build build;
  ExpandDouble(MLIRContext *context, Build build) : OpRewritePattern<Op>(context), build(build) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF64())
      return failure();
    FloatBuilder builder(rewriter, op.getLoc(), op.getType());
    rewriter.replaceOp(op, build(builder, op.getOperand()));
    return success();
  }
};

template <typename Op> struct ExpandDoublePair : OpRewritePattern<Op> {
  using Build = Value (*)(FloatBuilder &, Value, Value);
  Build build;
  ExpandDoublePair(MLIRContext *context, Build build)
      : OpRewritePattern<Op>(context), build(build) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF64())
      return failure();
    FloatBuilder builder(rewriter, op.getLoc(), op.getType());
    rewriter.replaceOp(op, build(builder, op.getLhs(), op.getRhs()));
    return success();
  }
};

template <typename Op>
void addDouble(RewritePatternSet &patterns, typename ExpandDouble<Op>::Build build) {
  patterns.add(std::make_unique<ExpandDouble<Op>>(patterns.getContext(), build));
}

template <typename Op>
void addDoublePair(RewritePatternSet &patterns, typename ExpandDoublePair<Op>::Build build) {
  patterns.add(std::make_unique<ExpandDoublePair<Op>>(patterns.getContext(), build));
}

} // namespace

void populateDoubleFunctions(RewritePatternSet &patterns) {
  addDouble<math::ExpOp>(patterns, buildExp);
  addDouble<math::Exp2Op>(patterns, buildExp2);
  addDouble<math::ExpM1Op>(patterns, buildExpM1);
  addDouble<math::LogOp>(patterns, buildLog);
  addDouble<math::Log2Op>(patterns, buildLog2);
  addDouble<math::Log10Op>(patterns, buildLog10);
  addDouble<math::Log1pOp>(patterns, buildLog1p);
  addDouble<math::TanhOp>(patterns, buildTanh);
  addDouble<math::SinhOp>(patterns, buildSinh);
  addDouble<math::CoshOp>(patterns, buildCosh);
  addDouble<math::AsinhOp>(patterns, buildAsinh);
  addDouble<math::AcoshOp>(patterns, buildAcosh);
  addDouble<math::AtanhOp>(patterns, buildAtanh);
  addDouble<math::AtanOp>(patterns, buildAtan);
  addDouble<math::AsinOp>(patterns, buildAsin);
  addDouble<math::AcosOp>(patterns, buildAcos);
  addDouble<math::ErfOp>(patterns, buildErf);
  addDouble<math::ErfcOp>(patterns, buildErfc);
  addDouble<math::CbrtOp>(patterns, buildCbrt);
  addDoublePair<math::Atan2Op>(patterns, buildAtan2);
}

} // namespace tssa
