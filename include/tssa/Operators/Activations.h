//===- Activations.h - activation functions of more than one front end -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_OPERATORS_ACTIVATIONS_H
#define TSSA_OPERATORS_ACTIVATIONS_H

#include "tssa/Builder/Scalar.h"

namespace tssa::operators {

/// The product of `x` and the normal distribution function at `x`.
Scalar gelu(Scalar x);
/// The same by way of its usual approximation with tanh.
Scalar geluByTanh(Scalar x);

} // namespace tssa::operators

#endif // TSSA_OPERATORS_ACTIVATIONS_H
