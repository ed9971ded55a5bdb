//===- Interest.cpp - tests whether a file still fails ----------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Interest.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

using namespace llvm;
using namespace tssa::reduce;

/// Exit codes of tssa-compile.
static constexpr int mismatchCode = 4, internalCode = 70;

Interest::Outcome Interest::run(StringRef program, ArrayRef<std::string> arguments) {
  Outcome outcome;
  SmallString<128> log;
  if (sys::fs::createTemporaryFile("tssa-reduce", "log", log))
    return outcome;
  FileRemover remover(log);
  SmallVector<StringRef> all = {program};
  all.append(arguments.begin(), arguments.end());
  std::optional<StringRef> redirects[] = {StringRef("/dev/null"), StringRef("/dev/null"),
                                          log.str()};
  std::string message;
  outcome.code = sys::ExecuteAndWait(program, all, std::nullopt, redirects, failure.timeoutSeconds,
                                     0, &message);
  // The exit code is -2 after a signal and after a timeout.
  outcome.crashed = outcome.code == -2 && !StringRef(message).contains("timed out");
  if (auto text = MemoryBuffer::getFile(log))
    outcome.errors = (*text)->getBuffer().str();
  return outcome;
}

Interest::Outcome Interest::compile(StringRef path) {
  SmallString<128> output;
  if (sys::fs::createTemporaryFile("tssa-reduce", "so", output))
    return {};
  FileRemover remover(output);
  std::vector<std::string> arguments = {path.str(), "-o", output.str().str()};
  if (failure.kind == Failure::Mismatch)
    arguments.push_back("--verify-each-stage");
  arguments.insert(arguments.end(), failure.compileOptions.begin(), failure.compileOptions.end());
  return run(failure.compiler, arguments);
}

/// Quotes a word for the shell.
static std::string quoteForShell(StringRef text) {
  std::string quoted = "'";
  for (char c : text)
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

bool Interest::holds(StringRef path) {
  ++numTests;
  switch (failure.kind) {
  case Failure::Command: {
    std::string command = failure.text;
    std::string name = quoteForShell(path);
    for (size_t at = command.find("{}"); at != std::string::npos;
         at = command.find("{}", at + name.size()))
      command.replace(at, 2, name);
    return run("/bin/sh", {"-c", command}).code == 0;
  }
  case Failure::Crash: {
    Outcome outcome = compile(path);
    return outcome.crashed || outcome.code == internalCode;
  }
  case Failure::Error: {
    Outcome outcome = compile(path);
    return outcome.code != 0 && StringRef(outcome.errors).contains(failure.text);
  }
  case Failure::Mismatch:
    return compile(path).code == mismatchCode;
  }
  return false;
}
