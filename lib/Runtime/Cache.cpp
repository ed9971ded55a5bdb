//===- Cache.cpp - folders of files that can be made again ----------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The format of an entry: magic (8 bytes), SHA-256 of the key, a zero byte and the content (32),
/// and the content.
///
//===----------------------------------------------------------------------===//

#include "tssa/Runtime/Cache.h"
#include "File.h"
#include "tssa/Runtime/SHA256.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace fs = std::filesystem;

namespace tssa::runtime {

Status openCacheFolder(const std::string &folder, CacheFolderState &state) {
  std::error_code error;
  fs::create_directories(fs::path(folder).parent_path(), error);
  state = CacheFolderState::Usable;
  if (::mkdir(folder.c_str(), 0700) == 0)
    return Status::success();
  struct stat info;
  if (errno != EEXIST || ::stat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) {
    state = CacheFolderState::Missing;
    return ioError(folder, "cannot be the cache");
  }
  if (!(info.st_mode & S_IWOTH) && info.st_uid == ::geteuid())
    return Status::success();
  state = CacheFolderState::Unsafe;
  return makeError(TSSA_IO, "cache '" + folder +
                                "' is writable by everybody, or belongs "
                                "to another user; give another --cache-dir");
}

void touchCacheFile(const std::string &path) {
  ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
}

void evictCacheFiles(const std::string &kept, uint64_t limit) {
  struct Entry {
    fs::file_time_type used;
    uint64_t size;
    fs::path path;
  };
  std::vector<Entry> entries;
  uint64_t total = 0;
  std::error_code error;
  fs::path keptPath = kept;
  for (const fs::directory_entry &found : fs::directory_iterator(keptPath.parent_path(), error)) {
    std::error_code gone;
    Entry entry{found.last_write_time(gone), found.file_size(gone), found.path()};
    if (gone || entry.path.extension() != keptPath.extension())
      continue;
    total += entry.size;
    if (entry.path != keptPath)
      entries.push_back(std::move(entry));
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry &left, const Entry &right) { return left.used < right.used; });
  for (const Entry &entry : entries) {
    if (total <= limit)
      return;
    if (fs::remove(entry.path, error))
      total -= entry.size;
  }
}

using Digest = std::array<uint8_t, 32>;

static constexpr std::string_view magic = "TSSAKEPT";
static constexpr size_t headerSize = magic.size() + std::tuple_size<Digest>::value;

static Digest hashEntry(std::string_view key, std::string_view content) {
  SHA256 sha;
  sha.update(key);
  sha.update(std::string_view("\0", 1));
  sha.update(content);
  return sha.final();
}

Status readCacheEntry(const std::string &path, std::string_view key, std::string &content) {
  File file;
  uint64_t size = 0;
  if (Status status = File::openRegular(path, file, size); !status.ok())
    return status;
  constexpr uint64_t mostBytes = uint64_t(1) << 30;
  if (size < headerSize || size > mostBytes)
    return makeError(TSSA_CORRUPT, "'" + path + "': not an entry of a cache");
  std::string bytes(size, '\0');
  if (Status status = file.readAt(path, 0, bytes.data(), bytes.size()); !status.ok())
    return status;
  content = bytes.substr(headerSize);
  Digest expected = hashEntry(key, content);
  if (bytes.compare(0, magic.size(), magic) != 0 ||
      std::memcmp(bytes.data() + magic.size(), expected.data(), expected.size()) != 0)
    return makeError(TSSA_CORRUPT, "'" + path + "': its hash does not match");
  return Status::success();
}

Status writeCacheEntry(const std::string &path, std::string_view key, std::string_view content) {
  Digest digest = hashEntry(key, content);
  PendingFile file;
  if (Status status = file.create(path); !status.ok())
    return status;
  uint64_t at = 0;
  std::string_view hash(reinterpret_cast<const char *>(digest.data()), digest.size());
  for (std::string_view part : {magic, hash, content}) {
    if (Status status = file.writeAt(at, part.data(), part.size()); !status.ok())
      return status;
    at += part.size();
  }
  return file.commit();
}

} // namespace tssa::runtime
