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

/// Element `index` in row-major order. 64-bit integers round to double.
double getElement(const Tensor &tensor, int64_t index);

/// Stores `value` rounded to nearest even; integers get its whole part, which
/// must be in their range.
void setElement(Tensor &tensor, int64_t index, double value);

/// Whether two elements of one type have the same bits.
bool sameElement(const Tensor &a, const Tensor &b, int64_t index);

float halfToFloat(uint16_t half);
uint16_t floatToHalf(float value);
uint16_t floatToBFloat(float value);

} // namespace tssa::runtime

#endif // TSSA_RUNTIME_ELEMENTS_H
