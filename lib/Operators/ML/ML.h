//===- ML.h - families of operators of ai.onnx.ml -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_OPERATORS_ML_ML_H
#define TSSA_LIB_OPERATORS_ML_ML_H

#include "tssa/Operators/Registry.h"

namespace tssa::operators {

constexpr llvm::StringLiteral mlDomain = "ai.onnx.ml";

// One per family, in the file of that name.
void registerFeatures(Registry &registry);
void registerLabels(Registry &registry);
void registerLinear(Registry &registry);
void registerSupportVectors(Registry &registry);
void registerTrees(Registry &registry);

} // namespace tssa::operators

#endif // TSSA_LIB_OPERATORS_ML_ML_H
