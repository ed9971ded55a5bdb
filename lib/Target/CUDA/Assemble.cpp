//===- Assemble.cpp - PTX to a cubin, where ptxas is found ---------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Target/CUDA.h"
#include "tssa/Target/MemoryFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"

using namespace llvm;

namespace tssa::cuda {

Expected<std::string> findAssembler() {
  if (std::optional<std::string> given = sys::Process::GetEnv("TSSA_PTXAS")) {
    if (given->empty() || sys::fs::can_execute(*given))
      return *given;
    return createStringError("expected a program in TSSA_PTXAS, got '" + *given + "'");
  }
  if (std::optional<std::string> home = sys::Process::GetEnv("CUDA_HOME")) {
    SmallString<128> path(*home);
    sys::path::append(path, "bin", "ptxas");
    if (sys::fs::can_execute(path))
      return std::string(path);
  }
  ErrorOr<std::string> found = sys::findProgramByName("ptxas");
  return found ? *found : std::string();
}

/// Parses the output of `ptxas -v`, which has these lines for each kernel:
///
///     ptxas info    : Compiling entry function 'k' for 'sm_90'
///         0 bytes stack frame, 8 bytes spill stores, 8 bytes spill loads
///     ptxas info    : Used 32 registers, used 1 barriers, 128 bytes smem, 400 bytes cmem[0]
static StringMap<Resources> parseResources(StringRef log) {
  static const Regex entry("Compiling entry function '([^']+)'");
  static const Regex registers("Used ([0-9]+) registers");
  static const Regex spills("([0-9]+) bytes spill stores, ([0-9]+) bytes spill loads");
  StringMap<Resources> kernels;
  Resources *current = nullptr;
  auto toNumber = [](StringRef text) {
    int64_t number = 0;
    text.getAsInteger(10, number);
    return number;
  };
  SmallVector<StringRef> found;
  for (StringRef line : split(log, '\n')) {
    if (entry.match(line, &found))
      current = &kernels[found[1]];
    if (!current)
      continue;
    if (spills.match(line, &found))
      current->spillBytes = toNumber(found[1]) + toNumber(found[2]);
    if (registers.match(line, &found))
      current->registers = toNumber(found[1]);
  }
  return kernels;
}

char AssemblerError::ID = 0;

Expected<Cubin> assemble(StringRef assembler, StringRef ptx, const GPUArch &arch) {
  MemoryFile input, output, log;
  for (MemoryFile *file : {&input, &output, &log})
    if (Error error = file->create())
      return std::move(error);
  if (Error error = input.write(ptx))
    return std::move(error);
  std::string name = "-arch=" + arch.getName();
  std::string inputPath = input.getPath(), outputPath = output.getPath(), logPath = log.getPath();
  StringRef arguments[] = {assembler, "-v", name, inputPath, "-o", outputPath};
  std::optional<StringRef> redirects[] = {StringRef(), StringRef(logPath), StringRef(logPath)};
  std::string message;
  int status = sys::ExecuteAndWait(assembler, arguments, /*Env=*/std::nullopt, redirects,
                                   /*SecondsToWait=*/0, /*MemoryLimit=*/0, &message);
  Expected<std::string> text = log.read();
  if (!text)
    return text.takeError();
  if (status != 0)
    return make_error<AssemblerError>(("'" + assembler + "' failed for " + arch.getName() +
                                       " with status " + Twine(status) + ": " + message +
                                       StringRef(*text).trim())
                                          .str());
  Expected<std::string> bytes = output.read();
  if (!bytes)
    return bytes.takeError();
  return Cubin{std::move(*bytes), parseResources(*text)};
}

} // namespace tssa::cuda
