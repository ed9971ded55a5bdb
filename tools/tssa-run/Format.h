//===- Format.h - text with numbers --------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_TOOLS_TSSA_RUN_FORMAT_H
#define TSSA_TOOLS_TSSA_RUN_FORMAT_H

#include <cstdarg>
#include <cstdio>
#include <string>

namespace tssa::run {

/// Formats as printf does; the text is cut after 511 bytes.
__attribute__((format(printf, 1, 2))) inline std::string format(const char *pattern, ...) {
  char text[512];
  va_list args;
  va_start(args, pattern);
  std::vsnprintf(text, sizeof(text), pattern, args);
  va_end(args);
  return text;
}

} // namespace tssa::run

#endif // TSSA_TOOLS_TSSA_RUN_FORMAT_H
