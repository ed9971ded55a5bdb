//===- Markup.h - text within a page ----------------------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_TUNER_MARKUP_H
#define LIB_TUNER_MARKUP_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace tssa::tuner {

/// Returns untrusted text as HTML and XML may have it, between tags and in quotes: at most `most`
/// bytes of it, valid UTF-8, without control characters.
std::string escape(llvm::StringRef text, size_t most = 80);

} // namespace tssa::tuner

#endif // LIB_TUNER_MARKUP_H
