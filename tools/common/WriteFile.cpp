//===- WriteFile.cpp - outputs of tools ----------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/common/WriteFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

/// Writes to what is there, without a rename, which would put a file in its place.
static Error writeTo(StringRef path, StringRef bytes) {
  std::error_code code;
  raw_fd_ostream stream(path, code, sys::fs::CD_OpenExisting, sys::fs::FA_Write, sys::fs::OF_None);
  if (!code) {
    stream << bytes;
    stream.close();
    code = stream.error();
    stream.clear_error();
  }
  return code ? createFileError(path, code) : Error::success();
}

Error tssa::writeFile(StringRef path, StringRef bytes) {
  sys::fs::file_status status;
  bool isThere = path != "-" && !sys::fs::status(path, status);
  if (isThere && !sys::fs::is_regular_file(status))
    return writeTo(path, bytes);
  return writeToOutput(path, [&](raw_ostream &stream) {
    stream << bytes;
    return Error::success();
  });
}
