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

/// Returns "; did you mean 'X'?" for the name most similar to `given`, or "" if none is
/// similar.
std::string suggestName(std::string_view given, const std::vector<std::string> &names);

/// Returns `text` for use in a message: cut to `most` bytes, with control characters and bytes
/// that are not valid UTF-8 escaped as \xNN.
std::string printable(std::string_view text, size_t most = 120);

/// Returns the number of bytes of the UTF-8 sequence at the start of the non-empty `text`,
/// or 0 if the sequence is not valid.
size_t getSequenceLength(std::string_view text);

} // namespace tssa::runtime

#endif // TSSA_RUNTIME_NEARNAME_H
