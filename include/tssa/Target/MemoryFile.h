//===- MemoryFile.h - files without a name ----------------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_TARGET_MEMORYFILE_H
#define TSSA_TARGET_MEMORYFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace tssa {

/// A file in memory for a linker, an assembler or a loader. It is in no folder, so nothing is left
/// of it when the process ends, however it ends. Programs that the process starts can open it by
/// the same path.
class MemoryFile {
public:
  MemoryFile() = default;
  ~MemoryFile();
  MemoryFile(const MemoryFile &) = delete;
  MemoryFile &operator=(const MemoryFile &) = delete;

  /// Creates the file, which is empty.
  llvm::Error create();
  /// Writes `bytes` after those that were written before.
  llvm::Error write(llvm::StringRef bytes) const;
  /// Returns the whole content.
  llvm::Expected<std::string> read() const;
  /// Returns a path that opens the file, in this process and in those that it starts.
  std::string getPath() const { return "/proc/self/fd/" + std::to_string(descriptor); }

private:
  int descriptor = -1;
};

} // namespace tssa

#endif // TSSA_TARGET_MEMORYFILE_H
