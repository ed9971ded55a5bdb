//===- Messages.h - what an error says -------------------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_TEST_UNIT_SEARCH_MESSAGES_H
#define TSSA_TEST_UNIT_SEARCH_MESSAGES_H

#include "llvm/Support/Error.h"

#include <string>

namespace tssa::search {

/// The text of an error, "" for success.
inline std::string getMessage(llvm::Error error) { return llvm::toString(std::move(error)); }
template <typename T> std::string getMessage(llvm::Expected<T> value) {
  return value ? "" : llvm::toString(value.takeError());
}

} // namespace tssa::search

#endif // TSSA_TEST_UNIT_SEARCH_MESSAGES_H
