//===- NearName.h - the name that was meant ------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_RUNTIME_NEARNAME_H
#define TSSA_RUNTIME_NEARNAME_H

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tssa::runtime {

/// "; did you mean 'X'?" for the name nearest to `given`, or "" when none is
/// near.
std::string suggestName(std::string_view given, const std::vector<std::string> &names);

/// `text` for a message: at most 120 bytes, control characters and bytes that
/// are not ASCII or UTF-8 shown as \xNN.
std::string printable(std::string_view text);

/// Bytes of the UTF-8 sequence that starts the non-empty `text`, 0 when there is
/// none.
size_t getSequenceLength(std::string_view text);

} // namespace tssa::runtime

#endif // TSSA_RUNTIME_NEARNAME_H
