//===- Contrib.h - families of operators outside of the standard -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_OPERATORS_MICROSOFT_CONTRIB_H
#define TSSA_LIB_OPERATORS_MICROSOFT_CONTRIB_H

#include "lib/Operators/Microsoft/Signature.h"
#include "tssa/Builder/BodyScalar.h"

namespace tssa::operators {

// One per family, in the file of that name.
void registerContribActivations(Registry &registry);
void registerContribAttention(Registry &registry);
void registerContribBlockQuantized(Registry &registry);
void registerContribGroupQuery(Registry &registry);
void registerContribMatMul(Registry &registry);
void registerContribMisc(Registry &registry);
void registerContribNormalization(Registry &registry);
void registerContribQuantized(Registry &registry);
void registerContribRefused(Registry &registry);
void registerContribRotary(Registry &registry);

} // namespace tssa::operators

#endif // TSSA_LIB_OPERATORS_MICROSOFT_CONTRIB_H
