//===- mutate-lit.cpp - break the text of lit tests -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// usage: mutate-lit [--random-passes] [--keep DIR] SEED COUNT FILE...
///
/// Runs tssa-opt on COUNT mutants of the tests, with the passes of a RUN line of the same file or
/// with a random selection of the project's passes. Each run is a separate process. It must
/// exit with 0 or 1. A signal, another status or a timeout is a failure, whose input is kept in
/// DIR with the passes in its first line. A timeout is allowed for passes that run the program,
/// because the program may not terminate.
///
//===----------------------------------------------------------------------===//

#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "test/fuzz/MemoryFile.h"
#include "test/fuzz/TextMutator.h"
#include "tssa/Pipeline/CheckText.h"
#include "tssa/Pipeline/Stages.h"
#include "tssa/Reference/Passes.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/StringSaver.h"
#include <csignal>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>

using namespace llvm;
using Arguments = std::vector<std::string>;

namespace {

/// The limits of CPU time and of elapsed time, which is longer because the machine may be busy.
constexpr unsigned secondsPerRun = 20, secondsByClock = 200;

/// A test file: its parts, which `// -----` separates, and the arguments of its RUN lines.
struct LitTest {
  std::string name;
  std::vector<std::string> parts;
  std::vector<Arguments> runs;
};

struct Mutant {
  std::string text;
  Arguments arguments;
};

//===----------------------------------------------------------------------===//
// Tests
//===----------------------------------------------------------------------===//

/// Returns the passes and options that a RUN line gives to tssa-opt; nothing if the line runs
/// another program or needs more files.
std::optional<Arguments> readRunLine(StringRef line) {
  line = line.take_until([](char c) { return c == '|' || c == '>'; });
  BumpPtrAllocator allocator;
  StringSaver saver(allocator);
  SmallVector<const char *> words;
  cl::TokenizeGNUCommandLine(line, saver, words);
  Arguments arguments;
  bool seen = false;
  for (size_t i = 0; i < words.size(); ++i) {
    StringRef word = words[i];
    if (!seen)
      seen = word == "tssa-opt";
    else if (word == "-o")
      ++i;
    else if (word != "%s" && word.contains('%'))
      return std::nullopt;
    else if (word != "%s" && word != "2" && !word.ends_with("-verify-diagnostics"))
      arguments.push_back(word.str());
  }
  return seen ? std::optional(arguments) : std::nullopt;
}

std::optional<LitTest> readTest(StringRef path) {
  auto file = MemoryBuffer::getFile(path);
  if (!file)
    return std::nullopt;
  LitTest test;
  test.name = path.str();
  StringRef text = (*file)->getBuffer();
  SmallVector<StringRef> lines, parts;
  text.split(lines, '\n');
  for (StringRef line : lines)
    if (StringRef rest = line; rest.consume_front("// RUN:"))
      if (std::optional<Arguments> run = readRunLine(rest))
        test.runs.push_back(*run);
  text.split(parts, "// -----\n");
  for (StringRef part : parts)
    test.parts.push_back(part.str());
  if (test.runs.empty())
    return std::nullopt;
  return test;
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

/// Runs tssa-opt in this process, and never returns.
[[noreturn]] void runTool(const std::string &path, const Mutant &mutant,
                          mlir::DialectRegistry &registry, int output) {
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  ::alarm(secondsByClock);
  rlimit none = {0, 0}, time = {secondsPerRun, secondsPerRun + 5};
  ::setrlimit(RLIMIT_CORE, &none);
  ::setrlimit(RLIMIT_CPU, &time);
  if (Error error = tssa::checkText(mutant.text)) {
    logAllUnhandledErrors(std::move(error), errs());
    ::_exit(1);
  }
  std::vector<std::string> words = {"tssa-opt", path, "--mlir-disable-threading"};
  words.insert(words.end(), mutant.arguments.begin(), mutant.arguments.end());
  std::vector<char *> argv;
  for (std::string &word : words)
    argv.push_back(word.data());
  mlir::LogicalResult result =
      mlir::MlirOptMain(argv.size(), argv.data(), "TSSA pass driver\n", registry);
  outs().flush();
  ::_exit(failed(result) ? 1 : 0);
}

/// Returns whether a pass evaluates the program.
bool runsProgram(const Mutant &mutant) {
  return any_of(mutant.arguments, [](StringRef argument) {
    return argument.contains("te-evaluate") || argument.contains("te-check-pipeline");
  });
}

/// Runs a mutant and sets `said` to its output. Returns how the run failed, or "".
std::string run(const Mutant &mutant, mlir::DialectRegistry &registry, std::string &said) {
  tssa::fuzz::MemoryFile input(reinterpret_cast<const uint8_t *>(mutant.text.data()),
                               mutant.text.size());
  tssa::fuzz::MemoryFile output(nullptr, 0);
  int fd = ::open(output.getPath().c_str(), O_RDWR | O_APPEND);
  pid_t child = ::fork();
  if (child < 0 || fd < 0)
    std::abort();
  if (child == 0)
    runTool(input.getPath(), mutant, registry, fd);
  int status = 0;
  ::waitpid(child, &status, 0);
  ::close(fd);
  if (auto text = MemoryBuffer::getFile(output.getPath(), /*IsText=*/false,
                                        /*RequiresNullTerminator=*/false))
    said = (*text)->getBuffer().str();
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU && runsProgram(mutant))
    return "";
  if (WIFSIGNALED(status))
    return "ended by signal " + std::to_string(WTERMSIG(status));
  int code = WEXITSTATUS(status);
  return code == 0 || code == 1 ? "" : "ended with status " + std::to_string(code);
}

/// Returns the passes of the project and two of MLIR that must work on all modules.
Arguments listPasses(mlir::DialectRegistry &registry) {
  std::string said;
  run({"", {"--list-passes"}}, registry, said);
  Arguments passes;
  SmallVector<StringRef> lines;
  StringRef(said).split(lines, '\n');
  for (StringRef line : lines) {
    if (!line.consume_front("  --"))
      continue;
    StringRef name = line.take_until([](char c) { return c == ' ' || c == '='; });
    for (StringRef prefix :
         {"te-", "tssa-", "layout-", "cuda-", "cpu-", "convert-", "fold-", "canonicalize", "cse"})
      if (name.starts_with(prefix))
        passes.push_back("--" + name.str());
  }
  return passes;
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

Mutant makeMutant(ArrayRef<LitTest> tests, const Arguments &passes, uint64_t seed) {
  tssa::fuzz::TextMutator mutator(seed);
  const LitTest &test = tests[mutator.pick(tests.size())];
  const std::string &part = test.parts[mutator.pick(test.parts.size())];
  Mutant mutant{"", test.runs[mutator.pick(test.runs.size())]};
  // Passes on valid programs find more than passes on broken ones.
  mutant.text = passes.empty() || mutator.pick(2) ? mutator.mutate(part) : part;
  if (passes.empty())
    return mutant;
  mutant.arguments = {"--allow-unregistered-dialect"};
  for (size_t i = 0, count = 1 + mutator.pick(5); i < count; ++i)
    mutant.arguments.push_back(passes[mutator.pick(passes.size())]);
  if (mutator.pick(4) == 0)
    mutant.arguments.push_back(mutant.arguments.back());
  return mutant;
}

/// Returns the most informative lines of a stack dump or of a sanitizer's report.
std::string summarise(StringRef said) {
  std::string summary;
  SmallVector<StringRef> lines;
  said.split(lines, '\n');
  unsigned frames = 0;
  for (StringRef line : lines)
    if (line.contains("ERROR:") || line.contains("runtime error") || line.contains("Assertion") ||
        (line.ltrim().starts_with("#") && ++frames <= 10))
      summary += ("  " + line.take_front(160) + "\n").str();
  return summary;
}

void keep(const Mutant &mutant, StringRef folder, uint64_t seed, StringRef end, StringRef said) {
  std::string path = (folder + "/" + Twine(seed) + ".mlir").str();
  std::error_code error;
  raw_fd_ostream file(path, error);
  file << "// RUN: tssa-opt %s " << join(mutant.arguments, " ") << "\n" << mutant.text;
  outs() << path << ": " << end << "\n" << summarise(said);
  outs().flush();
}

} // namespace

int main(int argc, char **argv) {
  std::vector<StringRef> words(argv + 1, argv + argc);
  bool randomPasses = !words.empty() && words.front() == "--random-passes";
  words.erase(words.begin(), words.begin() + randomPasses);
  std::string folder = ".";
  if (words.size() > 2 && words.front() == "--keep") {
    folder = words[1].str();
    words.erase(words.begin(), words.begin() + 2);
  }
  uint64_t seed = 0, count = 0;
  if (words.size() < 3 || words[0].getAsInteger(10, seed) || words[1].getAsInteger(10, count)) {
    errs() << "usage: mutate-lit [--random-passes] [--keep DIR] SEED COUNT FILE...\n";
    return 2;
  }
  sys::fs::create_directories(folder);
  mlir::DialectRegistry registry;
  tssa::registerAllDialects(registry);
  tssa::registerAllPasses();
  tssa::reference::registerReferencePasses();
  Arguments passes = randomPasses ? listPasses(registry) : Arguments();
  std::vector<LitTest> tests;
  for (StringRef path : ArrayRef(words).drop_front(2))
    if (std::optional<LitTest> test = readTest(path))
      tests.push_back(std::move(*test));
  if (tests.empty() || (randomPasses && passes.empty())) {
    errs() << "mutate-lit: no tests, or no passes\n";
    return 2;
  }
  uint64_t failures = 0;
  for (uint64_t i = seed; i < seed + count; ++i) {
    Mutant mutant = makeMutant(tests, passes, i);
    std::string said, end = run(mutant, registry, said);
    if (!end.empty()) {
      ++failures;
      keep(mutant, folder, i, end, said);
    }
  }
  outs() << count << " mutants, " << failures << " broke tssa-opt\n";
  return failures != 0;
}
