//===- BuildID.cpp -------------------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tssa/Runtime/BuildID.h"

#include "ELFSections.h"

#include <cstring>

using namespace tssa::runtime;

/// The most bytes of a note that is read; one of SHA-1 has 36.
static constexpr uint64_t maxNote = 256;

/// Returns the content of a note of type NT_GNU_BUILD_ID; empty if `note` is none.
static std::string_view getContent(std::string_view note) {
  constexpr char owner[] = "GNU"; // with its zero, four bytes
  Elf64_Nhdr header;
  if (note.size() < sizeof(header) + sizeof(owner))
    return {};
  std::memcpy(&header, note.data(), sizeof(header));
  std::string_view rest = note.substr(sizeof(header));
  if (header.n_type != NT_GNU_BUILD_ID || header.n_namesz != sizeof(owner) ||
      std::memcmp(rest.data(), owner, sizeof(owner)) != 0 ||
      header.n_descsz > rest.size() - sizeof(owner))
    return {};
  return rest.substr(sizeof(owner), header.n_descsz);
}

Status tssa::runtime::readBuildID(const std::string &path, std::string &id) {
  File file;
  uint64_t size = 0;
  if (Status status = File::openRegular(path, file, size); !status.ok())
    return status;
  auto read = [&](uint64_t offset, void *data, size_t bytes) {
    return file.readAt(path, offset, data, bytes);
  };
  ELFSections sections;
  if (Status status = readSections(size, read, sections); !status.ok())
    return status;
  id.clear();
  const Elf64_Shdr *section = sections.find(".note.gnu.build-id");
  if (!section || section->sh_size > maxNote || section->sh_offset > size ||
      section->sh_size > size - section->sh_offset)
    return Status::success();
  std::string note(section->sh_size, '\0');
  if (Status status = read(section->sh_offset, note.data(), note.size()); !status.ok())
    return status;
  constexpr char digits[] = "0123456789abcdef";
  for (unsigned char byte : getContent(note)) {
    id += digits[byte >> 4];
    id += digits[byte & 15];
  }
  return Status::success();
}
