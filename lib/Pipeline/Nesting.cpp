//===- Nesting.cpp - text that is nested too deeply ------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Pipeline/Nesting.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <pthread.h>

using namespace llvm;

namespace tssa {

static constexpr size_t maxDepth = 1000;
static constexpr unsigned stackBytes = 64 << 20;

/// The text from the end of the string that it begins with.
static StringRef skipString(StringRef text) {
  size_t at = 1;
  while (at < text.size() && text[at] != '"' && text[at] != '\n')
    at += text[at] == '\\' ? 2 : 1;
  return text.drop_front(std::min(at + 1, text.size()));
}

/// Takes back the brackets up to the one that `bracket` closes, if there is one: `<` may
/// be a comparison.
static void close(SmallVectorImpl<char> &open, char bracket) {
  for (size_t i = open.size(); i-- > 0;)
    if (open[i] == bracket)
      return open.truncate(i);
    else if (open[i] != '<')
      return;
}

Error checkNesting(StringRef text) {
  if (mlir::isBytecode(MemoryBufferRef(text, "")))
    return Error::success();
  SmallVector<char> open;
  StringRef all = text;
  while (!text.empty()) {
    char c = text.front();
    if (c == '"') {
      text = skipString(text);
      continue;
    }
    if (text.starts_with("//")) {
      text = text.drop_until([](char next) { return next == '\n'; });
      continue;
    }
    if (text.starts_with("->") || text.starts_with(">=") || text.starts_with("<=")) {
      text = text.drop_front(2);
      continue;
    }
    if (StringRef("([{<").contains(c))
      open.push_back(c);
    else if (size_t kind = StringRef(")]}>").find(c); kind != StringRef::npos)
      close(open, "([{<"[kind]);
    if (open.size() > maxDepth) {
      size_t line = all.drop_back(text.size()).count('\n') + 1;
      return createStringError("line " + Twine(line) + " is nested more than " + Twine(maxDepth) +
                               " deep");
    }
    text = text.drop_front();
  }
  return Error::success();
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
  if (!isStarted) // no memory or no thread is left for it: this stack may do
    return work();
  pthread_join(worker, nullptr);
  return call.result;
}

} // namespace tssa
