//===- File.h - files with complete reads and writes ---------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_RUNTIME_FILE_H
#define TSSA_LIB_RUNTIME_FILE_H

#include "tssa/Runtime/Status.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

namespace tssa::runtime {

/// An open file; the destructor closes it.
class File {
public:
  File() = default;
  explicit File(int fd) : fd(fd) {}
  File(File &&other) : fd(std::exchange(other.fd, -1)) {}
  File &operator=(File &&other) {
    std::swap(fd, other.fd);
    return *this;
  }
  ~File();
  int get() const { return fd; }

  /// Opens a regular file for reading and sets `size`. Fails for other files, without blocking
  /// on a pipe or a device.
  static Status openRegular(const std::string &path, File &file, uint64_t &size);

  /// Reads `size` bytes at `offset`. If the file has fewer, fails with an error that names `path`.
  Status readAt(const std::string &path, uint64_t offset, void *data, size_t size) const;
  Status writeAt(const std::string &path, uint64_t offset, const void *data, size_t size) const;

private:
  int fd = -1;
};

/// A file that is written under a temporary name beside `path`. `commit` renames it to `path`;
/// without a `commit`, the destructor removes it. A file that `path` names by a descriptor, as
/// /proc/self/fd/3, is written in place: it may be in no folder at all.
class PendingFile {
public:
  PendingFile() = default;
  PendingFile(const PendingFile &) = delete;
  PendingFile &operator=(const PendingFile &) = delete;
  ~PendingFile();
  Status create(const std::string &path);
  Status writeAt(uint64_t offset, const void *data, size_t size) const;
  /// Sets the size of the file. Bytes that were not written are zero.
  Status setSize(uint64_t size) const;
  Status commit();

private:
  std::string path, temporary;
  File file;

  void forget();
};

/// Reads `size` bytes at `offset`. The caller has checked that they are in the file.
using ReadAt = std::function<Status(uint64_t offset, void *data, size_t size)>;

/// Returns the error "'PATH': what: reason" for the current errno.
Status ioError(const std::string &path, const char *what);

} // namespace tssa::runtime

#endif // TSSA_LIB_RUNTIME_FILE_H
