//===- Limits.h - how large a tensor may be -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_BUILDER_LIMITS_H
#define TSSA_BUILDER_LIMITS_H

#include <cstddef>

namespace tssa::operators {

/// The maximal rank of a tensor of a model: an input, an initializer or a result.
constexpr size_t maxRank = 32;
/// The maximal number of strings in a table that a node has to look up or to join with others.
constexpr size_t maxJoinedStrings = 1 << 20;

} // namespace tssa::operators

#endif // TSSA_BUILDER_LIMITS_H
