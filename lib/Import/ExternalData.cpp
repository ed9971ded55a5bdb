//===- ExternalData.cpp - weights beside the model -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Import/ExternalData.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace llvm;
using mlir::failure;
using mlir::FailureOr;

namespace tssa {

static std::string getRealPath(const Twine &path) {
  SmallString<256> real;
  if (sys::fs::real_path(path, real))
    return {};
  return real.str().str();
}

ExternalData::ExternalData(StringRef modelPath, bool untrusted) : untrusted(untrusted) {
  modelFolder = sys::path::parent_path(modelPath).str();
  if (modelFolder.empty())
    modelFolder = ".";
  for (std::string root :
       {getRealPath(modelFolder), sys::path::parent_path(getRealPath(modelPath)).str()})
    if (!root.empty() && !is_contained(roots, root))
      roots.push_back(root);
}

/// Returns what is wrong with the path of a file, or "".
static std::string checkLocation(StringRef location) {
  if (location.empty())
    return "external data has no location";
  if (location.contains('\0'))
    return "location " + quote(location) + " of external data holds a NUL byte";
  if (sys::path::is_absolute(location))
    return "location " + quote(location) + " of external data is absolute, expected a relative one";
  if (is_contained(llvm::make_range(sys::path::begin(location), sys::path::end(location)), ".."))
    return "location " + quote(location) + " of external data leaves the model's folder";
  return {};
}

FailureOr<ExternalData::FileRange> ExternalData::parse(const tssa_onnx::TensorProto &tensor,
                                                       std::string &why) {
  FileRange range;
  StringSet<> keys;
  for (const auto &entry : tensor.external_data()) {
    StringRef key = entry.key(), value = entry.value();
    uint64_t number = 0;
    if (!keys.insert(key).second) {
      why = "external data has the key " + quote(key) + " twice";
      return failure();
    }
    if ((key == "offset" || key == "length") && !to_integer(value, number, 10)) {
      why = ("expected a number for " + key + " of external data, got " + quote(value)).str();
      return failure();
    }
    if (key == "location") {
      range.location = value.str();
    } else if (key == "offset") {
      range.offset = number;
    } else if (key == "length") {
      range.length = number;
    } else if (key != "checksum" && key != "basepath") {
      why = "external data has an unknown key " + quote(key);
      return failure();
    }
  }
  return range;
}

/// Opens `path` folder by folder without following links, for Linux kernels without openat2.
static int openInTurn(int folder, StringRef path) {
  int at = dup(folder);
  while (at >= 0) {
    auto [name, rest] = path.split('/');
    bool isLast = rest.empty();
    int flags = isLast ? O_RDONLY | O_NONBLOCK : O_PATH | O_DIRECTORY;
    int next = openat(at, name.str().c_str(), flags | O_CLOEXEC | O_NOFOLLOW);
    int error = errno;
    close(at);
    errno = error;
    if (isLast)
      return next;
    at = next;
    path = rest;
  }
  return at;
}

/// Opens `path` beneath `root`; `path` contains no links.
static int openBeneath(const std::string &root, StringRef path) {
  int folder = ::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0)
    return -1;
  open_how how = {};
  how.flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
  std::string relative = path.str();
  int file = syscall(SYS_openat2, folder, relative.c_str(), &how, sizeof(how));
  if (file < 0 && (errno == ENOSYS || errno == EPERM)) // a sandbox may forbid openat2
    file = openInTurn(folder, relative);
  int error = errno;
  close(folder);
  errno = error;
  return file;
}

FailureOr<ExternalData::File> ExternalData::map(int descriptor, std::string &why) {
  struct stat status;
  if (fstat(descriptor, &status) != 0) {
    why = strerror(errno);
    return failure();
  }
  if (!S_ISREG(status.st_mode)) {
    why = "is not a regular file";
    return failure();
  }
  if (untrusted && status.st_nlink > 1) {
    why = "is a hard link, which untrusted models may not use";
    return failure();
  }
  size_t size = status.st_size;
  if (size == 0)
    return File{nullptr, 0};
  void *address = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (address == MAP_FAILED) {
    why = std::string("cannot be mapped: ") + strerror(errno);
    return failure();
  }
  std::shared_ptr<const char> bytes(static_cast<const char *>(address),
                                    [size](const char *p) { munmap(const_cast<char *>(p), size); });
  return File{std::move(bytes), size};
}

FailureOr<ExternalData::File> ExternalData::open(const std::string &location, std::string &why) {
  if (auto it = files.find(location); it != files.end())
    return it->second;
  std::string real = getRealPath(modelFolder + "/" + location);
  if (real.empty()) {
    why = "cannot be found";
    return failure();
  }
  for (const std::string &root : roots) {
    StringRef relative = real;
    if (!relative.consume_front(root) || (root != "/" && !relative.consume_front("/")))
      continue;
    int descriptor = openBeneath(root, relative);
    if (descriptor < 0) {
      why = std::string("cannot be opened: ") + strerror(errno);
      return failure();
    }
    scope_exit closer([&] { close(descriptor); });
    FailureOr<File> file = map(descriptor, why);
    if (succeeded(file)) {
      files[location] = *file;
      fileBytes += file->size;
    }
    return file;
  }
  why = "lies outside of the model's folder";
  return failure();
}

FailureOr<ExternalData::Bytes> ExternalData::find(const FileRange &range, uint64_t size,
                                                  StringRef subject, ImportReport &report) {
  std::string why = checkLocation(range.location);
  if (!why.empty())
    return fail(report, subject + why);
  bool isNew = !files.contains(range.location);
  FailureOr<File> file = open(range.location, why);
  if (failed(file))
    return fail(report, subject + "file " + quote(range.location) + " " + why);
  if (isNew && files.contains(range.location))
    report.files.push_back(modelFolder + "/" + range.location);
  if (range.length && *range.length != size)
    return fail(report, subject + "external data has length " + Twine(*range.length) +
                            ", expected " + Twine(size) + " bytes");
  if (range.offset > file->size || size > file->size - range.offset)
    return fail(report, subject + "needs " + Twine(size) + " bytes at offset " +
                            Twine(range.offset) + " of file " + quote(range.location) +
                            ", which has " + Twine(file->size));
  return Bytes{file->bytes, ArrayRef(file->bytes.get() + range.offset, size)};
}

FailureOr<ExternalData::Bytes> ExternalData::find(const tssa_onnx::TensorProto &tensor,
                                                  uint64_t size, ImportReport &report) {
  std::string subject = "tensor " + quote(tensor.name()) + ": ", why;
  FailureOr<FileRange> range = parse(tensor, why);
  if (failed(range))
    return fail(report, subject + why);
  return find(*range, size, subject, report);
}

} // namespace tssa
