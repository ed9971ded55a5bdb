//===- Scalar.h - scalar arithmetic in te bodies -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A `Scalar` is an SSA value of a float or integer type together with its signedness and
/// an insertion point. The body of an operator can thus be written like its definition:
/// `max(x, 0) + min(alpha * (exp(x / alpha) - 1), 0)`.
///
/// Rules for cases in which ONNX leaves a choice or C++ has undefined behaviour:
/// - integer arithmetic wraps; x / 0 and x mod 0 are 0; the least integer / -1 wraps;
/// - a shift by a negative amount, or by the width or more, gives 0; such a right shift of a
///   negative number gives -1;
/// - minimum and maximum of floats give NaN if either operand is NaN;
/// - a conversion from float to integer maps NaN to 0, and a number out of range to the nearest
///   integer of the type.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_BUILDER_SCALAR_H
#define TSSA_BUILDER_SCALAR_H

#include "mlir/IR/Builders.h"

namespace tssa::operators {

class Scalar {
public:
  Scalar(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, bool isUnsigned = false)
      : builder(&builder), loc(loc), value(value), unsignedInteger(isUnsigned) {}

  mlir::OpBuilder &getBuilder() const { return *builder; }
  mlir::Location getLoc() const { return loc; }
  mlir::Value getValue() const { return value; }
  mlir::Type getType() const { return value.getType(); }
  bool isFloat() const { return mlir::isa<mlir::FloatType>(getType()); }
  bool isBool() const { return getType().isInteger(1); }
  bool isUnsigned() const { return unsignedInteger || isBool(); }

  /// Returns a Scalar of `other` with the insertion point and signedness of this one.
  Scalar with(mlir::Value other) const { return {*builder, loc, other, unsignedInteger}; }
  /// Returns a constant of this scalar's type.
  Scalar constant(double number) const;
  Scalar constant(const llvm::APInt &number) const;

private:
  mlir::OpBuilder *builder;
  mlir::Location loc;
  mlir::Value value;
  bool unsignedInteger;
};

Scalar operator+(Scalar a, Scalar b);
Scalar operator-(Scalar a, Scalar b);
Scalar operator*(Scalar a, Scalar b);
/// Quotients of integers are rounded towards zero.
Scalar operator/(Scalar a, Scalar b);
Scalar operator-(Scalar a);
inline Scalar operator+(Scalar a, double b) { return a + a.constant(b); }
inline Scalar operator-(Scalar a, double b) { return a - a.constant(b); }
inline Scalar operator*(Scalar a, double b) { return a * a.constant(b); }
inline Scalar operator/(Scalar a, double b) { return a / a.constant(b); }
inline Scalar operator+(double a, Scalar b) { return b.constant(a) + b; }
inline Scalar operator-(double a, Scalar b) { return b.constant(a) - b; }
inline Scalar operator*(double a, Scalar b) { return b.constant(a) * b; }
inline Scalar operator/(double a, Scalar b) { return b.constant(a) / b; }

/// Comparisons give an i1. With a NaN, all comparisons except `!=` are false.
Scalar operator==(Scalar a, Scalar b);
Scalar operator!=(Scalar a, Scalar b);
Scalar operator<(Scalar a, Scalar b);
Scalar operator<=(Scalar a, Scalar b);
inline Scalar operator>(Scalar a, Scalar b) { return b < a; }
inline Scalar operator>=(Scalar a, Scalar b) { return b <= a; }
inline Scalar operator==(Scalar a, double b) { return a == a.constant(b); }
inline Scalar operator!=(Scalar a, double b) { return a != a.constant(b); }
inline Scalar operator<(Scalar a, double b) { return a < a.constant(b); }
inline Scalar operator<=(Scalar a, double b) { return a <= a.constant(b); }
inline Scalar operator>(Scalar a, double b) { return a > a.constant(b); }
inline Scalar operator>=(Scalar a, double b) { return a >= a.constant(b); }

/// Bitwise on integers, logical on i1.
Scalar operator&(Scalar a, Scalar b);
Scalar operator|(Scalar a, Scalar b);
Scalar operator^(Scalar a, Scalar b);
Scalar operator~(Scalar a);
Scalar shiftLeft(Scalar a, Scalar amount);
Scalar shiftRight(Scalar a, Scalar amount);

Scalar select(Scalar condition, Scalar ifTrue, Scalar ifFalse);
inline Scalar select(Scalar condition, Scalar ifTrue, double ifFalse) {
  return select(condition, ifTrue, ifTrue.constant(ifFalse));
}
inline Scalar select(Scalar condition, double ifTrue, Scalar ifFalse) {
  return select(condition, ifFalse.constant(ifTrue), ifFalse);
}
/// The result is NaN if either argument is NaN.
Scalar max(Scalar a, Scalar b);
Scalar min(Scalar a, Scalar b);
/// Returns the larger (smaller) of `x` and `bound`, or NaN if `x` is NaN. Unlike max (min), this
/// takes one instruction, but `bound` must not be NaN.
Scalar atLeast(Scalar x, Scalar bound);
Scalar atMost(Scalar x, Scalar bound);
inline Scalar atLeast(Scalar x, double bound) { return atLeast(x, x.constant(bound)); }
inline Scalar atMost(Scalar x, double bound) { return atMost(x, x.constant(bound)); }

Scalar abs(Scalar x);
Scalar sign(Scalar x);
Scalar isNaN(Scalar x);
Scalar floor(Scalar x);
Scalar ceil(Scalar x);
Scalar trunc(Scalar x);
Scalar roundEven(Scalar x);
Scalar sqrt(Scalar x);
Scalar exp(Scalar x);
Scalar log(Scalar x);
Scalar log1p(Scalar x);
Scalar tanh(Scalar x);
Scalar erf(Scalar x);
Scalar sin(Scalar x);
Scalar cos(Scalar x);
Scalar sigmoid(Scalar x);
/// Returns log(1 + exp(x)) without overflow.
Scalar softplus(Scalar x);
/// Returns base ^ exponent. A power of integers is computed in f64.
Scalar power(Scalar base, Scalar exponent);
/// Remainder with the sign of the divisor.
Scalar floorMod(Scalar a, Scalar b);
/// Remainder with the sign of the dividend.
Scalar truncMod(Scalar a, Scalar b);

/// Converts between number types by the rules above; a conversion to i1 is `x != 0`.
Scalar convert(Scalar x, mlir::Type type, bool isUnsigned = false);
/// Converts f16 and bf16 to f32 and returns other scalars unchanged.
Scalar widen(Scalar x);
/// Converts an integer to an index.
mlir::Value toIndex(Scalar x);

} // namespace tssa::operators

#endif // TSSA_BUILDER_SCALAR_H
