//===- MemoryFile.cpp - files without a name ------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Target/MemoryFile.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <sys/mman.h>
#include <unistd.h>

using namespace llvm;

namespace tssa {

MemoryFile::~MemoryFile() {
  if (descriptor >= 0)
    ::close(descriptor);
}

Error MemoryFile::create() {
  // The programs that this process starts inherit the descriptor.
  descriptor = ::memfd_create("tssa", 0);
  if (descriptor >= 0)
    return Error::success();
  std::error_code error(errno, std::generic_category());
  return createStringError(error, "cannot make a file in memory: " + error.message());
}

Error MemoryFile::write(StringRef bytes) const {
  raw_fd_ostream stream(descriptor, /*shouldClose=*/false);
  stream << bytes;
  stream.flush();
  std::error_code error = stream.error();
  stream.clear_error();
  if (error)
    return createStringError(error, "cannot write '" + getPath() + "': " + error.message());
  return Error::success();
}

Expected<std::string> MemoryFile::read() const {
  auto buffer =
      MemoryBuffer::getFile(getPath(), /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return createStringError(buffer.getError(),
                             "cannot read '" + getPath() + "': " + buffer.getError().message());
  return (*buffer)->getBuffer().str();
}

} // namespace tssa
