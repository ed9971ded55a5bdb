//===- Elements.h - tensor elements as numbers ---------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_RUNTIME_ELEMENTS_H
#define TSSA_RUNTIME_ELEMENTS_H

#include "tssa/Runtime/Tensor.h"

namespace tssa::runtime {

bool isFloat(DType type);

/// Returns element `index` in row-major order. 64-bit integers are rounded to double.
double getElement(const Tensor &tensor, int64_t index);

/// Stores `value`, rounded to the nearest element, ties to even. Integers get the integral
/// part of `value`, which must be in their range.
void setElement(Tensor &tensor, int64_t index, double value);

/// Returns whether element `index` has the same bits in `a` and `b`, which have one type.
bool sameElement(const Tensor &a, const Tensor &b, int64_t index);

float halfToFloat(uint16_t half);
uint16_t floatToHalf(float value);
uint16_t floatToBFloat(float value);

} // namespace tssa::runtime

#endif // TSSA_RUNTIME_ELEMENTS_H
