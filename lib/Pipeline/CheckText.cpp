//===- CheckText.cpp - checks of MLIR text before parsing -----------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Pipeline/CheckText.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <pthread.h>

using namespace llvm;

namespace tssa {

static constexpr size_t maxDepth = 1000;
static constexpr unsigned stackBytes = 64 << 20;

/// Returns the rest of `text` after the string literal with which it begins.
static StringRef skipString(StringRef text) {
  size_t at = 1;
  while (at < text.size() && text[at] != '"' && text[at] != '\n')
    at += text[at] == '\\' ? 2 : 1;
  return text.drop_front(std::min(at + 1, text.size()));
}

static bool isWord(char c) { return isAlnum(c) || StringRef("_$.").contains(c); }

namespace {
/// Checks a text in one scan.
class TextChecker {
public:
  explicit TextChecker(StringRef text) : all(text), text(text) {}

  Error run() {
    while (!text.empty())
      if (Error error = takeToken())
        return error;
    return Error::success();
  }

private:
  Error takeToken();
  Error takeWord();
  Error takeArray();
  void skipSpace();
  void close(char bracket);

  Error makeError(const Twine &what) const {
    size_t line = all.drop_back(text.size()).count('\n') + 1;
    return createStringError("line " + Twine(line) + " " + what);
  }

  StringRef all;
  /// The rest of the text that is not scanned yet.
  StringRef text;
  SmallVector<char> open;
};
} // namespace

/// Closes the last open bracket of the kind `bracket` (an opening bracket). Closes with it any `<`
/// opened after it, which may have been a comparison. Closes nothing if a bracket of another kind
/// was opened after it.
void TextChecker::close(char bracket) {
  for (size_t i = open.size(); i-- > 0;)
    if (open[i] == bracket)
      return open.truncate(i);
    else if (open[i] != '<')
      return;
}

void TextChecker::skipSpace() {
  for (;;) {
    text = text.ltrim(StringRef(" \t\r\n\0", 5));
    if (!text.starts_with("//"))
      return;
    text = text.drop_until([](char c) { return c == '\n' || c == '\r'; });
  }
}

/// Checks the element type that follows `array`. If the element type is index, or an alias, MLIR's
/// parser would ask for a width that does not exist.
Error TextChecker::takeArray() {
  skipSpace();
  if (!text.consume_front("<"))
    return Error::success();
  open.push_back('<');
  skipSpace();
  StringRef type = text.take_while(isWord);
  StringRef kind = type.ltrim("subt"); // as in si8, ui8, bf16, tf32
  bool hasWidth = kind.size() > 1 && StringRef("if").contains(kind[0]) && isDigit(kind[1]);
  return hasWidth ? Error::success()
                  : makeError("has an array with elements of another type than integers or floats");
}

Error TextChecker::takeWord() {
  StringRef word = text.take_while(isWord);
  text = text.drop_front(word.size());
  return word == "array" ? takeArray() : Error::success();
}

Error TextChecker::takeToken() {
  skipSpace();
  if (text.empty())
    return Error::success();
  char c = text.front();
  if (isWord(c))
    return takeWord();
  if (c == '"') {
    text = skipString(text);
    return Error::success();
  }
  if (text.starts_with("->") || text.starts_with(">=") || text.starts_with("<=")) {
    text = text.drop_front(2);
    return Error::success();
  }
  if (StringRef("([{<").contains(c))
    open.push_back(c);
  else if (size_t kind = StringRef(")]}>").find(c); kind != StringRef::npos)
    close("([{<"[kind]);
  if (open.size() > maxDepth)
    return makeError("is nested more than " + Twine(maxDepth) + " deep");
  text = text.drop_front();
  // The word after a sigil is a name, not a keyword.
  if (StringRef("%@^#!").contains(c))
    text = text.drop_while(isWord);
  return Error::success();
}

Error checkText(StringRef text) {
  if (mlir::isBytecode(MemoryBufferRef(text, "")))
    return Error::success();
  return TextChecker(text).run();
}

int runWithDeepStack(function_ref<int()> work) {
  struct Call {
    function_ref<int()> work;
    int result;
  } call{work, 0};
  auto run = [](void *argument) -> void * {
    Call &own = *static_cast<Call *>(argument);
    own.result = own.work();
    return nullptr;
  };
  pthread_attr_t attributes;
  pthread_t worker;
  pthread_attr_init(&attributes);
  bool isStarted = pthread_attr_setstacksize(&attributes, stackBytes) == 0 &&
                   pthread_create(&worker, &attributes, run, &call) == 0;
  pthread_attr_destroy(&attributes);
  if (!isStarted) // no thread or memory is left; the current stack may suffice
    return work();
  pthread_join(worker, nullptr);
  return call.result;
}

} // namespace tssa
