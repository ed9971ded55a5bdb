//===- Activations.h - activation functions that front ends share -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_OPERATORS_ACTIVATIONS_H
#define TSSA_OPERATORS_ACTIVATIONS_H

#include "tssa/Builder/Scalar.h"

namespace tssa::operators {

/// Returns `x` times the cumulative normal distribution function at `x`.
Scalar gelu(Scalar x);
/// Returns the usual approximation of gelu(x) by tanh.
Scalar geluByTanh(Scalar x);

} // namespace tssa::operators

#endif // TSSA_OPERATORS_ACTIVATIONS_H
