//===- Link.cpp - objects to a shared object -----------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lld/Common/Driver.h"
#include "tssa/Target/CPU.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>

LLD_HAS_DRIVER(elf)

using namespace llvm;

namespace tssa::cpu {

namespace {
/// A file of its own for the linker, gone with the object or when a signal ends
/// the program.
class TemporaryFile {
public:
  ~TemporaryFile() {
    if (path.empty())
      return;
    sys::fs::remove(path);
    sys::DontRemoveFileOnSignal(path);
  }
  Error create(StringRef suffix) {
    if (std::error_code error = sys::fs::createTemporaryFile("tssa-link", suffix, path))
      return createStringError(error, "cannot make a temporary file: " + error.message());
    sys::RemoveFileOnSignal(path);
    return Error::success();
  }
  Error write(StringRef bytes) const {
    std::error_code error;
    raw_fd_ostream stream(path, error);
    if (!error) {
      stream << bytes;
      stream.close();
      error = stream.error();
      stream.clear_error();
    }
    if (error)
      return createStringError(error, "cannot write '" + path + "': " + error.message());
    return Error::success();
  }
  std::string getPath() const { return std::string(path); }

private:
  SmallString<128> path;
};
} // namespace

Expected<std::string> link(StringRef object) {
  TemporaryFile input, output;
  if (Error error = input.create("o"))
    return std::move(error);
  if (Error error = output.create("so"))
    return std::move(error);
  if (Error error = input.write(object))
    return std::move(error);
  std::string inputPath = input.getPath(), outputPath = output.getPath();
  std::vector<const char *> arguments = {
      "ld.lld",   "-shared",       "-m",  "elf_x86_64", "-o",          outputPath.c_str(),
      "-soname=model", "--no-undefined", "--gc-sections", "-z", "now", "-z",
      "noexecstack",   "--build-id=none", "--hash-style=gnu", "-O2", "--strip-all",
      "--threads=1",   inputPath.c_str()};

  static std::mutex oneAtATime; // lld keeps its state in globals
  std::lock_guard<std::mutex> lock(oneAtATime);
  std::string messages;
  raw_string_ostream stream(messages);
  lld::Result result = lld::lldMain(arguments, stream, stream, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode != 0)
    return createStringError(inconvertibleErrorCode(), "the linker failed: " + messages);
  auto buffer =
      MemoryBuffer::getFile(outputPath, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return createStringError(buffer.getError(), "cannot read the linked object: " +
                                                    buffer.getError().message());
  return (*buffer)->getBuffer().str();
}

} // namespace tssa::cpu
