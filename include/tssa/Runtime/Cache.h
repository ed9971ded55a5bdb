//===- Cache.h - folders of files that can be made again --------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Folders in which processes keep results for later processes: compiled models, and the machine
/// code of kernels. Whoever can write to such a folder chooses the code that others run, so a
/// folder is only used if it belongs to the user and not everybody can write to it. Files appear
/// under their names when they are complete. Several processes may use a folder at the same time.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_RUNTIME_CACHE_H
#define TSSA_RUNTIME_CACHE_H

#include "tssa/Runtime/Status.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace tssa::runtime {

enum class CacheFolderState {
  Usable,
  Missing, ///< there is no such folder, and it cannot be created
  Unsafe   ///< others can write to it
};

/// Opens the folder, which is created with mode 0700 if it is missing. Fails with TSSA_IO if it is
/// not usable.
Status openCacheFolder(const std::string &folder, CacheFolderState &state);

/// Records that the file was used. This may fail, for example in a read-only folder.
void touchCacheFile(const std::string &path);

/// Removes the least recently used files with the extension of `kept`, which stays, from its folder
/// until at most `limit` bytes are left. Ignores what other processes remove or add meanwhile.
void evictCacheFiles(const std::string &kept, uint64_t limit);

/// Reads an entry that `writeCacheEntry` wrote for the same key. Fails with TSSA_IO if there is no
/// such file, and with TSSA_CORRUPT if it is damaged, cut off, or of another key.
Status readCacheEntry(const std::string &path, std::string_view key, std::string &content);

/// Writes an entry with the hash of its key and content, under a temporary name first.
Status writeCacheEntry(const std::string &path, std::string_view key, std::string_view content);

} // namespace tssa::runtime

#endif // TSSA_RUNTIME_CACHE_H
