//===- SmallTypes.h - encodings of small element types -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// In te, small floats and integers of less than a byte are i8 elements. The functions here
/// encode and decode them by exact operations on bits, so that all targets and the
/// evaluator produce the same bytes.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_BUILDER_SMALLTYPES_H
#define TSSA_BUILDER_SMALLTYPES_H

#include "tssa/Builder/DType.h"
#include "tssa/Builder/Scalar.h"

namespace tssa::operators {

/// How numbers are rounded to small floats.
struct SmallFloatRounding {
  enum Mode { Nearest, Up, Down };
  /// Whether a number beyond the finite range becomes the nearest finite number, instead of
  /// infinity or NaN.
  bool saturates = true;
  /// How numbers are rounded to f8e8m0. For all other types, they are rounded to the nearest, ties
  /// to even.
  Mode mode = Up;
};

/// Returns, as f32, the number that `byte` encodes in the small float type `type`.
Scalar decodeSmallFloat(Scalar byte, DType type);
/// Returns the i8 that encodes `number` in the small float type `type`. `number` may have any type.
Scalar encodeSmallFloat(Scalar number, DType type, SmallFloatRounding rounding = {});
/// Truncates `number`, which may have any type, to the integer type `type` of less than a byte.
/// Returns the low bits as an i8, sign-extended if `type` is signed.
Scalar cutToSubByte(Scalar number, DType type);

} // namespace tssa::operators

#endif // TSSA_BUILDER_SMALLTYPES_H
