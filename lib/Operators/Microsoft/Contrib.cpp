//===- Contrib.cpp - families of operators outside of the standard -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/Microsoft/Contrib.h"

namespace tssa::operators {

void registerContrib(Registry &registry) {
  registerContribActivations(registry);
  registerContribAttention(registry);
  registerContribBlockQuantized(registry);
  registerContribGroupQuery(registry);
  registerContribMatMul(registry);
  registerContribMisc(registry);
  registerContribNormalization(registry);
  registerContribQuantized(registry);
  registerContribRefused(registry);
  registerContribRotary(registry);
}

} // namespace tssa::operators
