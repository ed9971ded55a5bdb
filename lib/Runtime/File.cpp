//===- File.cpp ----------------------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "File.h"

#include "tssa/Runtime/Artifact.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace tssa::runtime;

Status tssa::runtime::ioError(const std::string &path, const char *what) {
  return makeError(TSSA_IO, "'" + path + "': " + what + ": " + std::strerror(errno));
}

File::~File() {
  if (fd >= 0)
    ::close(fd);
}

Status File::openRegular(const std::string &path, File &file, uint64_t &size) {
  if (path.find('\0') != std::string::npos)
    return makeError(TSSA_IO, "file name with a zero byte");
  File opened(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (opened.get() < 0)
    return ioError(path, "cannot open");
  struct stat info;
  if (::fstat(opened.get(), &info) != 0)
    return ioError(path, "cannot stat");
  if (!S_ISREG(info.st_mode))
    return makeError(TSSA_IO, "'" + path + "': not a regular file");
  size = uint64_t(info.st_size);
  file = std::move(opened);
  return Status::success();
}

Status File::readAt(const std::string &path, uint64_t offset, void *data, size_t size) const {
  char *bytes = static_cast<char *>(data);
  while (size) {
    ssize_t count = ::pread(fd, bytes, size, off_t(offset));
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return ioError(path, "cannot read");
    if (count == 0)
      return makeError(TSSA_CORRUPT, "'" + path + "': ended while it was read");
    bytes += count;
    offset += uint64_t(count);
    size -= size_t(count);
  }
  return Status::success();
}

Status File::writeAt(const std::string &path, uint64_t offset, const void *data,
                     size_t size) const {
  const char *bytes = static_cast<const char *>(data);
  while (size) {
    ssize_t count = ::pwrite(fd, bytes, size, off_t(offset));
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return ioError(path, "cannot write");
    bytes += count;
    offset += uint64_t(count);
    size -= size_t(count);
  }
  return Status::success();
}

static PendingFileObserver fileCreated = nullptr, fileGone = nullptr;

void tssa::runtime::observePendingFiles(PendingFileObserver created, PendingFileObserver gone) {
  fileCreated = created;
  fileGone = gone;
}

PendingFile::~PendingFile() {
  if (temporary.empty())
    return;
  ::unlink(temporary.c_str());
  forget();
}

/// Records that the file no longer exists under its temporary name.
void PendingFile::forget() {
  if (fileGone)
    fileGone(temporary);
  temporary.clear();
}

/// Returns whether `path` names a file by the descriptor under which this process has it open.
static bool isDescriptor(const std::string &path) { return path.rfind("/proc/self/fd/", 0) == 0; }

Status PendingFile::create(const std::string &target) {
  static std::atomic<unsigned> counter{0};
  struct stat info;
  if (::stat(target.c_str(), &info) == 0 && !S_ISREG(info.st_mode))
    return makeError(TSSA_IO, "'" + target + "': not a regular file");
  path = target;
  if (isDescriptor(path)) {
    file = File(::open(path.c_str(), O_RDWR | O_TRUNC | O_CLOEXEC));
    return file.get() < 0 ? ioError(path, "cannot open") : Status::success();
  }
  std::string name = path + ".tmp-" + std::to_string(::getpid()) + "-" +
                     std::to_string(counter.fetch_add(1, std::memory_order_relaxed));
  file = File(::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (file.get() < 0)
    return ioError(path, "cannot create");
  temporary = std::move(name);
  if (fileCreated)
    fileCreated(temporary);
  return Status::success();
}

Status PendingFile::writeAt(uint64_t offset, const void *data, size_t size) const {
  return file.writeAt(path, offset, data, size);
}

Status PendingFile::setSize(uint64_t size) const {
  if (::ftruncate(file.get(), off_t(size)) != 0)
    return ioError(path, "cannot write");
  return Status::success();
}

Status PendingFile::commit() {
  if (temporary.empty())
    return Status::success();
  if (::rename(temporary.c_str(), path.c_str()) != 0)
    return ioError(path, "cannot rename to this name");
  forget();
  return Status::success();
}
