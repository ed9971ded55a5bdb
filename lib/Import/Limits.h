//===- Limits.h - limits of models -===//
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
/// The maximal number of nodes that are built. Nodes of a function count once per call, nodes
/// of a body once per trial.
constexpr size_t maxBuiltNodes = 1'000'000;
/// The maximal number of consecutive Ifs whose branches contain the rest of the graph. Each such If
/// doubles the nodes that follow it.
constexpr size_t maxContinuedIfs = 4;
/// The maximal number of bytes of all dense tensors that the sparse tensors of a model mean.
/// Nothing in the file grows with them, so without a limit a small file could take all memory.
constexpr size_t maxSparseBytes = size_t(4) << 30;
/// The maximal number of bytes of the labels of all outputs. Each output has its own, even if many
/// outputs have one table of strings.
constexpr size_t maxLabelBytes = size_t(256) << 20;

// For untrusted models only:

/// The maximal number of characters of a name.
constexpr size_t maxUntrustedName = 65'536;
/// The number of bytes by which the tensors may exceed 101 % of the size of the model's files.
constexpr size_t untrustedSlack = 64 << 20;

/// The number of characters of a name that messages show.
constexpr size_t maxShownName = 120;

} // namespace tssa

#endif // TSSA_LIB_IMPORT_LIMITS_H
