//===- Limits.h - how much a model may ask for -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_IMPORT_LIMITS_H
#define TSSA_LIB_IMPORT_LIMITS_H

#include <cstddef>

namespace tssa {

constexpr size_t maxGraphDepth = 64;
constexpr size_t maxFunctionDepth = 64;
constexpr size_t maxRank = 32;
/// Nodes of an untrusted model.
constexpr size_t maxUntrustedNodes = 1'000'000;
/// Characters of a name that are shown.
constexpr size_t maxShownName = 120;

} // namespace tssa

#endif // TSSA_LIB_IMPORT_LIMITS_H
