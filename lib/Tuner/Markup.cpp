//===- Markup.cpp - text within a page ------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Markup.h"
#include "llvm/Support/JSON.h"

std::string tssa::tuner::escape(llvm::StringRef text, size_t most) {
  std::string result;
  bool isCut = text.size() > most;
  for (char c : llvm::json::fixUTF8(text.take_front(most)))
    switch (c) {
    case '&':
      result += "&amp;";
      break;
    case '<':
      result += "&lt;";
      break;
    case '>':
      result += "&gt;";
      break;
    case '"':
      result += "&quot;";
      break;
    case '\'':
      result += "&#39;";
      break;
    default:
      result += static_cast<unsigned char>(c) < ' ' || c == '\x7f' ? ' ' : c;
    }
  return isCut ? result + " ..." : result;
}
