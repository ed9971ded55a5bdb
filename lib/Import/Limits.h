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
/// Nodes that are built: those of a function count for each call, those of a body for
/// each time it is tried.
constexpr size_t maxBuiltNodes = 1'000'000;
/// Ifs, one after the other, whose branches go on to the end of the graph: each doubles what
/// follows it.
constexpr size_t maxContinuedIfs = 4;

// Of untrusted models alone:

/// Characters of a name.
constexpr size_t maxUntrustedName = 65'536;
/// Bytes of tensors beyond 101 % of the bytes of the model's files.
constexpr size_t untrustedSlack = 64 << 20;

/// Characters of a name that are shown.
constexpr size_t maxShownName = 120;

} // namespace tssa

#endif // TSSA_LIB_IMPORT_LIMITS_H
