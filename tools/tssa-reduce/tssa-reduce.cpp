//===- tssa-reduce.cpp - reduces a failing file -----------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reducers.h"
#include "tools/common/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

using namespace llvm;
using namespace tssa::reduce;

namespace {

enum ExitCode { Success = 0, InputError = 1 };

tssa::tools::About makeAbout() {
  tssa::tools::About about;
  about.name = "tssa-reduce";
  about.summary = "reduces a model or module to a small one that still shows a failure";
  about.operand = "MODEL.onnx|MODULE.mlir";
  about.noun = "file";
  about.examples = {{"tssa-reduce model.onnx -o small.onnx --failure=crash", ""},
                    {"tssa-reduce model.onnx -o small.onnx --failure='error:cannot broadcast'", ""},
                    {"tssa-reduce model.onnx -o small.onnx --keep='python compare.py {}'", ""},
                    {"tssa-reduce module.mlir -o small.mlir --keep='! tssa-opt -te-merge {}'", ""}};
  about.exitCodes = "0 ok, 1 the file cannot be read or shows no failure, 2 usage";
  about.version = "tssa-reduce " TSSA_VERSION;
  return about;
}

/// The options of the tool, and what the arguments give for them.
struct CommandLine : tssa::tools::CommandLine {
  std::string input, output, keep, failure;
  std::vector<std::string> compileOptions;
  unsigned timeout = 60;

  CommandLine() : tssa::tools::CommandLine(makeAbout()) {
    bindOperand(input);
    add("o", output, "FILE", "Output file for the reduced model or module");
    add("keep", keep, "COMMAND",
        "A shell command that ends with 0 if the file {} still shows the failure");
    add("failure", failure, "KIND",
        "What tssa-compile must do with the file: crash, mismatch (of --verify-each-stage), or "
        "error:TEXT");
    add("compile-option", compileOptions, "OPTION",
        "An option to give to tssa-compile; repeatable");
    add("timeout", timeout, "SECONDS", "Time limit for each test (60)");
  }
};

int reportUsage(const Twine &message) {
  return tssa::tools::reportUsage("tssa-reduce", message.str());
}

/// Returns the failure that the options specify, or an error if they are invalid.
Expected<Failure> takeFailure(const CommandLine &line, const char *program) {
  Failure failure;
  failure.timeoutSeconds = line.timeout;
  failure.compileOptions = line.compileOptions;
  if (line.keep.empty() == line.failure.empty())
    return createStringError("expected one of --keep and --failure");
  if (!line.keep.empty()) {
    if (!StringRef(line.keep).contains("{}"))
      return createStringError("expected {} for the file in --keep, got '" + line.keep + "'");
    failure.text = line.keep;
    return failure;
  }
  StringRef kind = line.failure;
  if (kind == "crash")
    failure.kind = Failure::Crash;
  else if (kind == "mismatch")
    failure.kind = Failure::Mismatch;
  else if (kind.consume_front("error:") && !kind.empty())
    failure.kind = Failure::Error, failure.text = kind.str();
  else
    return createStringError("expected crash, mismatch or error:TEXT for --failure, got '" +
                             line.failure + "'");
  std::string self = sys::fs::getMainExecutable(program, reinterpret_cast<void *>(&takeFailure));
  SmallString<128> compiler = sys::path::parent_path(self);
  sys::path::append(compiler, "tssa-compile");
  if (!sys::fs::can_execute(compiler))
    return createStringError("there is no tssa-compile at '" + compiler + "'");
  failure.compiler = compiler.str().str();
  return failure;
}

} // namespace

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  CommandLine line;
  if (std::optional<int> code = line.parse(argc, argv))
    return *code;
  if (line.input.empty() || line.output.empty())
    return reportUsage("expected a file and -o FILE");
  Expected<Failure> failure = takeFailure(line, argv[0]);
  if (!failure)
    return reportUsage(toString(failure.takeError()));
  StringRef extension = sys::path::extension(line.input);
  if (extension != ".onnx" && extension != ".mlir")
    return reportUsage("expected MODEL.onnx or MODULE.mlir, got '" + line.input + "'");
  Interest interest(std::move(*failure));
  Error error = extension == ".onnx" ? reduceModel(line.input, line.output, interest)
                                     : reduceModule(line.input, line.output, interest);
  if (!error)
    return Success;
  errs() << line.input << ": error: " << toString(std::move(error)) << '\n';
  return InputError;
}
