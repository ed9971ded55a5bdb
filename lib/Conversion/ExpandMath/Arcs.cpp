//===- Arcs.cpp - inverse trigonometric functions on f32 -----------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The arc sine, arc cosine and arc tangent of f32, by minimax fits. MathErrors.def states their
/// errors.
///
//===----------------------------------------------------------------------===//

#include "Expansions.h"

using namespace mlir;

namespace tssa {
namespace {

constexpr double halfPi = 1.57079637050628662109; // as an f32
constexpr double halfPiRest = -4.37113900018624283e-8;

struct Sine {
  Value isFar; ///< whether |x| > 1/2
  Value t;     ///< x, or sqrt((1 - |x|) / 2) if that is far
  Value rest;  ///< asin t - t
};

/// Reduces an arc sine to one of at most 1/2. `near` is x or |x|.
Sine buildArc(FloatBuilder &b, Value x, Value near) {
  Value a = b.abs(x);
  Value isFar = b.isLess(b.f(0.5), a);
  Value half = b.fma(a, b.f(-0.5), b.f(0.5));
  Value z = b.select(isFar, half, b.mul(a, a));
  Value t = b.select(isFar, b.sqrt(half), near);
  Value p = b.polynomial(z, {4.2218563216516770e-2, 2.4147602850493496e-2, 4.5477098578279383e-2,
                             7.4952417710181754e-2, 1.6666753928007139e-1});
  return {isFar, t, b.mul(b.mul(t, z), p)};
}

/// asin x = pi / 2 - 2 asin sqrt((1 - x) / 2), for large x.
Value buildAsin(FloatBuilder &b, Value x) {
  auto [isFar, t, rest] = buildArc(b, x, b.abs(x));
  Value pole = b.f(halfPi);
  Value most = b.fma(b.f(-2.0), t, pole);
  Value lost = b.fma(b.f(-2.0), t, b.sub(pole, most));
  Value low = b.fma(b.f(-2.0), b.sub(rest, b.f(halfPiRest / 2)), lost);
  Value far = b.add(most, low);
  return b.copySign(b.select(isFar, far, b.add(t, rest)), x);
}

/// acos x = 2 asin sqrt((1 - x) / 2), for large x.
Value buildAcos(FloatBuilder &b, Value x) {
  auto [isFar, t, rest] = buildArc(b, x, x);
  Value isLeft = b.isLess(x, b.f(0.0));
  Value sum = b.add(t, b.sub(rest, b.f(halfPiRest))); // 2 halfPi - 2 sum, or halfPi - sum
  Value right = b.add(t, rest);
  Value far = b.select(isLeft, b.fma(b.f(-2.0), sum, b.f(2 * halfPi)), b.add(right, right));
  return b.select(isFar, far, b.sub(b.f(halfPi), sum));
}

/// atan x = pi / 2 - atan 1 / x, for x > 1.
Value buildAtan(FloatBuilder &b, Value x) {
  Value a = b.abs(x);
  Value isFar = b.isLess(b.f(1.0), a);
  Value t = b.select(isFar, b.div(b.f(1.0), a), a);
  Value z = b.mul(t, t);
  Value p =
      b.polynomial(z, {-1.7936203006941505e-3, 1.0914599517556061e-2, -3.1177834391320644e-2,
                       5.7957582240958073e-2, -8.4034496782507961e-2, 1.0952185557032870e-1,
                       -1.4264241639384070e-1, 1.9998548280516670e-1, -3.3333299089002105e-1});
  Value rest = b.mul(b.mul(t, z), p);
  Value far = b.sub(b.f(halfPi), b.add(t, b.sub(rest, b.f(halfPiRest))));
  return b.copySign(b.select(isFar, far, b.add(t, rest)), x);
}

} // namespace

void populateArcs(RewritePatternSet &patterns) {
  addExpansion<math::AsinOp>(patterns, buildAsin);
  addExpansion<math::AcosOp>(patterns, buildAcos);
  addExpansion<math::AtanOp>(patterns, buildAtan);
}

} // namespace tssa
