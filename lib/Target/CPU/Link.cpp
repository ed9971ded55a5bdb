//===- Link.cpp - objects to a shared object -----------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lld/Common/Driver.h"
#include "tssa/Target/CPU.h"
#include "tssa/Target/MemoryFile.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <fcntl.h>
#include <mutex>
#include <thread>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

using namespace llvm;

namespace tssa::cpu {

namespace {
/// A file for the output of the linker. The linker replaces a regular file by a new one in the same
/// folder, but writes to a pipe directly. A thread collects what it writes.
class OutputPipe {
public:
  OutputPipe() = default;
  ~OutputPipe() { collect(); }
  OutputPipe(const OutputPipe &) = delete;
  OutputPipe &operator=(const OutputPipe &) = delete;

  Error create();
  std::string getPath() const { return "/proc/self/fd/" + std::to_string(writeEnd); }
  /// Returns what was written. Nothing can be written afterwards.
  std::string collect();

private:
  int readEnd = -1, writeEnd = -1;
  std::string bytes;
  std::thread reader;

  void read();
};
} // namespace

Error OutputPipe::create() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    std::error_code error(errno, std::generic_category());
    return createStringError(error, "cannot make a pipe: " + error.message());
  }
  readEnd = ends[0];
  writeEnd = ends[1];
  reader = std::thread([this] { read(); });
  return Error::success();
}

void OutputPipe::read() {
  char buffer[1 << 16];
  auto readPart = [&] { return ::read(readEnd, buffer, sizeof(buffer)); };
  for (ssize_t count; (count = sys::RetryAfterSignal(-1, readPart)) > 0;)
    bytes.append(buffer, count);
}

std::string OutputPipe::collect() {
  if (!reader.joinable())
    return "";
  ::close(writeEnd);
  reader.join();
  ::close(readEnd);
  return std::move(bytes);
}

/// Writes an archive of the objects. A program may have more objects than a process may have files.
static Error writeArchive(ArrayRef<std::string> objects, const MemoryFile &file) {
  std::vector<NewArchiveMember> members;
  for (const std::string &object : objects)
    members.emplace_back(MemoryBufferRef(object, "part.o"));
  auto archive = writeArchiveToBuffer(members, SymtabWritingMode::NoSymtab, object::Archive::K_GNU,
                                      /*Deterministic=*/true,
                                      /*Thin=*/false);
  if (!archive)
    return archive.takeError();
  return file.write((*archive)->getBuffer());
}

Expected<std::string> link(ArrayRef<std::string> objects, ArrayRef<std::string> foreign,
                           bool sanitize) {
  MemoryFile input, foreignInput;
  if (Error error = joinErrors(input.create(), foreignInput.create()))
    return std::move(error);
  if (Error error = joinErrors(writeArchive(objects, input), writeArchive(foreign, foreignInput)))
    return std::move(error);
  std::string inputPath = input.getPath(), foreignPath = foreignInput.getPath();
  std::string hidden = ("--exclude-libs=" + sys::path::filename(foreignPath)).str();
  OutputPipe output;
  if (Error error = output.create())
    return std::move(error);
  std::string outputPath = output.getPath();
  std::vector<const char *> arguments = {"ld.lld",
                                         "-shared",
                                         "-m",
                                         "elf_x86_64",
                                         "-o",
                                         outputPath.c_str(),
                                         "-soname=model",
                                         sanitize ? "-zundefs" : "--no-undefined",
                                         "--gc-sections",
                                         "-z",
                                         "now",
                                         "-z",
                                         "noexecstack",
                                         "--build-id=none",
                                         "--hash-style=gnu",
                                         "-O2",
                                         "--strip-all",
                                         "--threads=1",
                                         hidden.c_str(),
                                         "--whole-archive",
                                         inputPath.c_str(),
                                         foreignPath.c_str()};
  static std::mutex oneAtATime; // lld keeps its state in globals
  std::lock_guard<std::mutex> lock(oneAtATime);
  std::string messages;
  raw_string_ostream stream(messages);
  lld::Result result = lld::lldMain(arguments, stream, stream, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode != 0)
    return createStringError(inconvertibleErrorCode(), "the linker failed: " + messages);
  return output.collect();
}

} // namespace tssa::cpu
