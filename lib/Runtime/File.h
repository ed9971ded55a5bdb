//===- File.h - file descriptors with whole reads and writes -------------===//
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

/// An open file; closed when it goes.
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

  /// Opens a regular file for reading; never blocks on a pipe or a device.
  static Status openRegular(const std::string &path, File &file, uint64_t &size);

  /// All of `size` bytes at `offset`, or an error that names `path`.
  Status readAt(const std::string &path, uint64_t offset, void *data, size_t size) const;
  Status writeAt(const std::string &path, uint64_t offset, const void *data, size_t size) const;

private:
  int fd = -1;
};

/// A file that is written under a temporary name beside `path` and takes that
/// name only by `commit`; it is removed when that does not happen.
class PendingFile {
public:
  PendingFile() = default;
  PendingFile(const PendingFile &) = delete;
  PendingFile &operator=(const PendingFile &) = delete;
  ~PendingFile();
  Status create(const std::string &path);
  Status writeAt(uint64_t offset, const void *data, size_t size) const;
  /// Bytes that were not written up to there are zero.
  Status setSize(uint64_t size) const;
  Status commit();

private:
  std::string path, temporary;
  File file;

  void forget();
};

/// Reads `size` bytes at `offset`, which the caller has checked to lie in the
/// file.
using ReadAt = std::function<Status(uint64_t offset, void *data, size_t size)>;

/// "'PATH': what: reason" for the current errno.
Status ioError(const std::string &path, const char *what);

} // namespace tssa::runtime

#endif // TSSA_LIB_RUNTIME_FILE_H
