//===- SmallFloat.h - floats of eight bits and less -----------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A small float is one byte in memory, with sign, exponent and fraction in its low bits.
/// The exception is f8e8m0, which has neither sign nor zero: a byte encodes
/// 2^(byte - 127), and 255 is NaN.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_RUNTIME_SMALLFLOAT_H
#define TSSA_RUNTIME_SMALLFLOAT_H

#include "tssa/Runtime/Manifest.h"

namespace tssa::runtime {

/// The encoding of a small float with a sign. Codes are the bits without the sign.
struct SmallFloatFormat {
  unsigned fractionBits;
  int bias;           ///< of the exponent
  unsigned signShift; ///< bit position of the sign
  uint8_t largest;    ///< code of the largest number
  uint8_t infinity;   ///< code of infinity; 0 if there is none
  uint8_t nan;        ///< code of a NaN (the sign bit if -0 encodes NaN); 0 if there is no NaN
};

/// Returns the format of a small float with a sign; null for all other types.
const SmallFloatFormat *getSmallFloatFormat(DType type);
/// Returns whether the type is a float of eight bits or less.
bool isSmallFloat(DType type);
/// Returns the number of bits of an element that encode its value; 1 for bool.
unsigned getValueBits(DType type);

/// Returns the number that the low bits of `bits` encode in the small float type `type`.
float decodeSmallFloat(DType type, uint8_t bits);
/// Encodes `value` as the nearest number of the type, ties to even. A number whose magnitude is too
/// large, or an infinity, becomes the largest number with the same sign. The numbers of f8e8m0 are
/// powers of two; a value that is not positive becomes the smallest of them.
uint8_t encodeSmallFloat(DType type, float value);

/// Returns whether each byte of `data` is a valid element of `type`, which takes one byte.
bool areCanonical(DType type, const void *data, int64_t count);
/// Makes each byte of `data` a valid element of `type`: a bool that is not 0 becomes 1, and
/// other types keep their low bits only.
void makeCanonical(DType type, void *data, int64_t count);

} // namespace tssa::runtime

#endif // TSSA_RUNTIME_SMALLFLOAT_H
