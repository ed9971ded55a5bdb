//===- SmallFloat.h - floats of eight bits and less -----------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A small float is one byte in memory: sign, exponent and fraction in its low bits.
/// f8e8m0 is another thing: 2^(byte - 127) without sign or zero, 255 is NaN.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_RUNTIME_SMALLFLOAT_H
#define TSSA_RUNTIME_SMALLFLOAT_H

#include "tssa/Runtime/Manifest.h"

namespace tssa::runtime {

/// How the bits of a float with a sign are read. Codes are without the sign.
struct SmallFloatFormat {
  unsigned fractionBits;
  int bias;           ///< of the exponent
  unsigned signShift; ///< place of the sign
  uint8_t largest;    ///< code of the largest number
  uint8_t infinity;   ///< code of infinity, 0 if there is none
  uint8_t nan;        ///< code of a NaN; the sign alone where -0 means NaN; 0 if none
};

/// The format of a small float with a sign; null for all other types.
const SmallFloatFormat *getSmallFloatFormat(DType type);
/// Whether the type is a float of eight bits or less.
bool isSmallFloat(DType type);
/// Bits of a value, of those in its byte or bytes; a bool has 1.
unsigned getValueBits(DType type);

/// The number that the low bits of a byte stand for.
float decodeSmallFloat(DType type, uint8_t bits);
/// The nearest number, ties to even, at most the largest; infinity too. f8e8m0 takes the
/// nearest power of two, the smallest for what is not positive.
uint8_t encodeSmallFloat(DType type, float value);

/// Whether each byte holds a value that the type, of one byte, can have.
bool areCanonical(DType type, const void *data, int64_t count);
/// Makes it so: a bool that is not 0 is 1, of others the low bits count.
void makeCanonical(DType type, void *data, int64_t count);

} // namespace tssa::runtime

#endif // TSSA_RUNTIME_SMALLFLOAT_H
