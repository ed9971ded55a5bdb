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

/// Stores `value`. A float element gets the nearest number of its type, ties to even. An integer
/// element gets the integral part of `value`, which must be in the range of its type.
void setElement(Tensor &tensor, int64_t index, double value);

/// Returns whether element `index` has the same bits in `a` and `b`, which have the same type.
bool sameElement(const Tensor &a, const Tensor &b, int64_t index);

float halfToFloat(uint16_t half);
uint16_t floatToHalf(float value);
uint16_t floatToBFloat(float value);

} // namespace tssa::runtime

#endif // TSSA_RUNTIME_ELEMENTS_H
