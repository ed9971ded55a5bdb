//===- MemoryFile.h - an input under a path -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_TEST_FUZZ_MEMORYFILE_H
#define TSSA_TEST_FUZZ_MEMORYFILE_H

#include <cstdint>
#include <cstdlib>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace tssa::fuzz {

/// An anonymous regular file with `size` bytes, for readers that take a path. The destructor
/// removes it.
class MemoryFile {
public:
  MemoryFile(const uint8_t *data, size_t size) : fd(::memfd_create("input", MFD_CLOEXEC)) {
    if (fd < 0 || ::write(fd, data, size) != static_cast<ssize_t>(size))
      std::abort();
  }
  ~MemoryFile() { ::close(fd); }
  MemoryFile(const MemoryFile &) = delete;
  MemoryFile &operator=(const MemoryFile &) = delete;

  std::string getPath() const { return "/proc/self/fd/" + std::to_string(fd); }

private:
  int fd;
};

} // namespace tssa::fuzz

#endif // TSSA_TEST_FUZZ_MEMORYFILE_H
