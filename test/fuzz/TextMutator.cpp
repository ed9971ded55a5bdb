//===- TextMutator.cpp - changes to the tokens of a text -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/fuzz/TextMutator.h"
#include "llvm/ADT/StringExtras.h"

using llvm::StringRef;

namespace tssa::fuzz {

static bool isWord(char c) { return llvm::isAlnum(c) || StringRef("_.$").contains(c); }

/// Returns the length of the token at the start of `text`, which is not empty.
static size_t measureToken(StringRef text) {
  if (text.starts_with("//"))
    return std::min(text.find('\n'), text.size());
  if (text[0] == '"') {
    size_t end = text.find('"', 1);
    return end == StringRef::npos ? text.size() : end + 1;
  }
  if (text.starts_with("->") || text.starts_with("::"))
    return 2;
  size_t sigil = StringRef("%@#!^").contains(text[0]) ? 1 : 0;
  size_t word = text.drop_front(sigil).take_while(isWord).size();
  return std::max<size_t>(sigil + word, 1);
}

/// Splits `text` into tokens, each with the white space after it.
TextMutator::Tokens TextMutator::split(StringRef text) {
  Tokens tokens;
  text = text.ltrim();
  while (!text.empty()) {
    StringRef token = text.take_front(measureToken(text));
    text = text.drop_front(token.size());
    size_t space = text.size() - text.ltrim().size();
    if (!token.starts_with("//"))
      tokens.push_back(token.str() + text.take_front(space).str());
    text = text.drop_front(space);
  }
  return tokens;
}

/// Returns another token of the text, usually of the same kind as `old`, or an unusual number.
std::string TextMutator::pickReplacement(const Tokens &tokens, StringRef old) {
  static const char *const numbers[] = {"0 ",
                                        "1 ",
                                        "-1 ",
                                        "7 ",
                                        "4294967296 ",
                                        "63 ",
                                        "2147483648 ",
                                        "9223372036854775807 ",
                                        "-9223372036854775808 ",
                                        "4611686018427387904 "};
  if (llvm::isDigit(old.front()) && pick(2))
    return numbers[pick(std::size(numbers))];
  for (int attempt = 0; attempt < 30; ++attempt) {
    const std::string &other = tokens[pick(tokens.size())];
    if (other.front() == old.front() ||
        (llvm::isAlpha(other.front()) && llvm::isAlpha(old.front())))
      if (other != old)
        return other;
  }
  return tokens[pick(tokens.size())];
}

void TextMutator::change(Tokens &tokens) {
  size_t at = pick(tokens.size());
  switch (pick(6)) {
  case 0:
    tokens.erase(tokens.begin() + at);
    return;
  case 1: {
    std::string token = tokens[at];
    tokens.insert(tokens.begin() + at, token);
    return;
  }
  case 2:
    std::swap(tokens[at], tokens[(at + 1 + pick(5)) % tokens.size()]);
    return;
  default:
    tokens[at] = pickReplacement(tokens, tokens[at]);
  }
}

std::string TextMutator::mutate(StringRef text) {
  Tokens tokens = split(text);
  for (size_t step = 0, steps = 1 + pick(3); step < steps && !tokens.empty(); ++step)
    change(tokens);
  return llvm::join(tokens, "");
}

} // namespace tssa::fuzz
