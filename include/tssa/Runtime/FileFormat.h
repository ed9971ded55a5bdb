//===- FileFormat.h - what a file is that is no model of ours ------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_RUNTIME_FILEFORMAT_H
#define TSSA_RUNTIME_FILEFORMAT_H

#include <cstddef>
#include <string_view>

namespace tssa::runtime {

/// A format of files that people take for a model that TSSA reads.
struct FileFormat {
  const char *name;   ///< with an article, such as `a TensorFlow Lite model`
  const char *advice; ///< what to do instead, as an imperative
};

/// As many bytes of a file are enough to recognize it.
inline constexpr size_t recognizedBytes = 512;

/// Returns the format of the file that begins with `bytes`, or null if it is none of those that are
/// known. Reads nothing beyond `bytes`.
const FileFormat *recognizeFile(std::string_view bytes);

} // namespace tssa::runtime

#endif // TSSA_RUNTIME_FILEFORMAT_H
