//===- Link.cpp - objects to a shared object -----------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lld/Common/Driver.h"
#include "tssa/Target/CPU.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <mutex>

LLD_HAS_DRIVER(elf)

using namespace llvm;

namespace tssa::cpu {

namespace {
/// A folder of its own for the linker's files, gone with the object.
class TemporaryFolder {
public:
  ~TemporaryFolder() {
    if (!path.empty())
      sys::fs::remove_directories(path);
  }
  Error create() {
    if (std::error_code error = sys::fs::createUniqueDirectory("tssa-link", path))
      return createStringError(error, "cannot make a temporary folder: " + error.message());
    return Error::success();
  }
  std::string getFile(const Twine &name) const {
    SmallString<128> file(path);
    sys::path::append(file, name);
    return std::string(file);
  }

private:
  SmallString<128> path;
};
} // namespace

static Error writeFile(StringRef path, StringRef bytes) {
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

/// Exports nothing but the entry points, whatever the objects say.
static constexpr const char *versionScript = "{ global: tssa_run; tssa_plan; local: *; };\n";

Expected<std::string> link(ArrayRef<StringRef> objects) {
  TemporaryFolder folder;
  if (Error error = folder.create())
    return std::move(error);
  std::string output = folder.getFile("model.so"), script = folder.getFile("exports");
  std::vector<std::string> arguments = {
      "ld.lld",        "-shared",     "-o",          output,         "--version-script=" + script,
      "-soname=model", "--no-undefined", "--gc-sections", "-z",      "now",
      "-z",            "noexecstack", "--build-id=none", "--hash-style=gnu", "-O2",
      "--strip-all",   "--threads=1", "-m", "elf_x86_64"};
  if (Error error = writeFile(script, versionScript))
    return std::move(error);
  for (auto [i, object] : llvm::enumerate(objects)) {
    arguments.push_back(folder.getFile(Twine(i) + ".o"));
    if (Error error = writeFile(arguments.back(), object))
      return std::move(error);
  }
  std::vector<const char *> pointers;
  for (const std::string &argument : arguments)
    pointers.push_back(argument.c_str());

  static std::mutex oneAtATime; // lld keeps its state in globals
  std::lock_guard<std::mutex> lock(oneAtATime);
  std::string messages;
  raw_string_ostream stream(messages);
  lld::Result result = lld::lldMain(pointers, stream, stream, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode != 0)
    return createStringError(inconvertibleErrorCode(), "the linker failed: " + messages);
  auto buffer = MemoryBuffer::getFile(output, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return createStringError(buffer.getError(), "cannot read the linked object: " +
                                                    buffer.getError().message());
  return (*buffer)->getBuffer().str();
}

} // namespace tssa::cpu
