//===- ML.cpp - families of operators of ai.onnx.ml -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/ML/ML.h"

namespace tssa::operators {

void registerML(Registry &registry) {
  registerFeatures(registry);
  registerLabels(registry);
  registerLinear(registry);
  registerSupportVectors(registry);
  registerTrees(registry);
}

} // namespace tssa::operators
