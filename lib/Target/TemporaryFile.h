//===- TemporaryFile.h - temporary files for other programs -----*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_TARGET_TEMPORARYFILE_H
#define LIB_TARGET_TEMPORARYFILE_H

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Error.h"

#include <string>

namespace tssa {

/// A temporary file for a linker or an assembler. It is removed with the object, or when a signal
/// ends the program.
class TemporaryFile {
public:
  TemporaryFile() = default;
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;

  llvm::Error create(llvm::StringRef suffix);
  llvm::Error write(llvm::StringRef bytes) const;
  llvm::Expected<std::string> read() const;
  std::string getPath() const { return std::string(path); }

private:
  llvm::SmallString<128> path;
};

} // namespace tssa

#endif // LIB_TARGET_TEMPORARYFILE_H
