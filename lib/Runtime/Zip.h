//===- Zip.h - the part of zip that .npz files use -----------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_RUNTIME_ZIP_H
#define TSSA_LIB_RUNTIME_ZIP_H

#include "File.h"

#include <string_view>
#include <vector>

namespace tssa::runtime {

/// A file in the archive, as its central directory describes it.
struct ZipMember {
  std::string name;
  uint16_t method = 0; ///< 0 stored, 8 deflated
  uint32_t crc = 0;
  uint64_t compressedSize = 0;
  uint64_t size = 0;
  uint64_t headerOffset = 0;
};

/// Reads the central directory, which may be zip64. Fails on encrypted members, on methods other
/// than stored and deflated, and on duplicate names.
Status readZipDirectory(uint64_t fileSize, const ReadAt &read, std::vector<ZipMember> &members);

/// Reads the bytes of a member, and checks their length and CRC.
Status readZipMember(const ZipMember &member, uint64_t fileSize, const ReadAt &read,
                     std::string &bytes);

/// Writes members without compression, as zip64 if sizes need it.
class ZipWriter {
public:
  explicit ZipWriter(PendingFile &file) : file(file) {}
  Status add(const std::string &name, std::string_view header, std::string_view data);
  Status finish();

private:
  PendingFile &file;
  uint64_t position = 0;
  uint64_t count = 0;
  std::string directory;

  Status append(std::string_view bytes);
};

} // namespace tssa::runtime

#endif // TSSA_LIB_RUNTIME_ZIP_H
