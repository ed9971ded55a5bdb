//===- Random.h - numbers that look like chance -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_OPERATORS_ONNX_RANDOM_H
#define TSSA_LIB_OPERATORS_ONNX_RANDOM_H

#include "tssa/Operators/Registry.h"

namespace tssa::operators {

/// RandomUniform, RandomNormal, both of them like a tensor, and Multinomial.
void registerRandom(Registry &registry);

} // namespace tssa::operators

#endif // TSSA_LIB_OPERATORS_ONNX_RANDOM_H
