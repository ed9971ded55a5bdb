//===- TemporaryFile.cpp - temporary files for other programs -------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TemporaryFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tssa {

TemporaryFile::~TemporaryFile() {
  if (path.empty())
    return;
  sys::fs::remove(path);
  sys::DontRemoveFileOnSignal(path);
}

Error TemporaryFile::create(StringRef suffix) {
  if (std::error_code error = sys::fs::createTemporaryFile("tssa", suffix, path))
    return createStringError(error, "cannot make a temporary file: " + error.message());
  sys::RemoveFileOnSignal(path);
  return Error::success();
}

Error TemporaryFile::write(StringRef bytes) const {
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

Expected<std::string> TemporaryFile::read() const {
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return createStringError(buffer.getError(),
                             "cannot read '" + path + "': " + buffer.getError().message());
  return (*buffer)->getBuffer().str();
}

} // namespace tssa
