//===- TextMutator.h - changes to the tokens of a text -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_TEST_FUZZ_TEXTMUTATOR_H
#define TSSA_TEST_FUZZ_TEXTMUTATOR_H

#include "llvm/ADT/StringRef.h"
#include <random>
#include <string>
#include <vector>

namespace tssa::fuzz {

/// Deletes, duplicates, swaps and replaces tokens of text in MLIR's syntax. Equal seeds give
/// equal changes.
class TextMutator {
public:
  explicit TextMutator(uint64_t seed) : random(seed) {}

  /// Returns a number less than `count`, which is not 0.
  size_t pick(size_t count) { return std::uniform_int_distribution<size_t>(0, count - 1)(random); }

  /// Returns `text` without comments and with one to three tokens changed.
  std::string mutate(llvm::StringRef text);

private:
  using Tokens = std::vector<std::string>;

  static Tokens split(llvm::StringRef text);
  std::string pickReplacement(const Tokens &tokens, llvm::StringRef old);
  void change(Tokens &tokens);

  std::mt19937_64 random;
};

} // namespace tssa::fuzz

#endif // TSSA_TEST_FUZZ_TEXTMUTATOR_H
