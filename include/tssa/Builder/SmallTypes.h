//===- SmallTypes.h - elements of a byte that are no bytes -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Small floats and integers of less than a byte are i8 elements in te. What they
/// stand for is said here in exact operations on bits, so that every way of running a
/// program gives the same bytes.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_BUILDER_SMALLTYPES_H
#define TSSA_BUILDER_SMALLTYPES_H

#include "tssa/Builder/DType.h"
#include "tssa/Builder/Scalar.h"

namespace tssa::operators {

/// How numbers become small floats.
struct SmallFloatRounding {
  enum Mode { Nearest, Up, Down };
  /// Whether numbers beyond the largest become it, and not infinity or NaN.
  bool saturates = true;
  /// Of f8e8m0; all others round to the nearest, ties to even.
  Mode mode = Up;
};

/// The number, as f32, that an i8 of small float type `type` stands for.
Scalar decodeSmallFloat(Scalar byte, DType type);
/// The i8 of small float type `type` for a number of any type.
Scalar encodeSmallFloat(Scalar number, DType type, SmallFloatRounding rounding = {});
/// The i8 for a number of any type cut to a type of less than a byte: its low bits, with
/// the sign extended where the type is a signed integer.
Scalar cutToSubByte(Scalar number, DType type);

} // namespace tssa::operators

#endif // TSSA_BUILDER_SMALLTYPES_H
