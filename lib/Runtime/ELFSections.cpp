//===- ELFSections.cpp ---------------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ELFSections.h"

#include "tssa/Runtime/FileFormat.h"

#include <algorithm>
#include <cstring>

using namespace tssa::runtime;

static constexpr uint16_t maxSections = 4096;
static constexpr uint64_t maxNames = 1 << 20;

static Status notELF(const char *what) {
  return makeError(TSSA_CORRUPT, std::string("not a shared object: ") + what);
}

std::string_view ELFSections::getName(const Elf64_Shdr &section) const {
  if (section.sh_name >= names.size())
    return {};
  return names.c_str() + section.sh_name;
}

const Elf64_Shdr *ELFSections::find(const std::string &name) const {
  const Elf64_Shdr *found = nullptr;
  for (const Elf64_Shdr &section : sections) {
    if (getName(section) != name)
      continue;
    if (found)
      return nullptr;
    found = &section;
  }
  return found;
}

/// Says what a file is that is no ELF file.
static Status explainFormat(uint64_t fileSize, const ReadAt &read) {
  char begin[recognizedBytes];
  size_t size = std::min<uint64_t>(fileSize, sizeof(begin));
  if (Status status = read(0, begin, size); !status.ok())
    return status;
  const FileFormat *format = recognizeFile({begin, size});
  if (!format)
    return notELF("no ELF header");
  return makeError(TSSA_CORRUPT, std::string("this is ") + format->name +
                                     ", not a compiled model: " + format->advice);
}

static Status checkHeader(const Elf64_Ehdr &header, uint64_t fileSize) {
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
      header.e_type != ET_DYN)
    return notELF("not a 64-bit little-endian ELF of type DYN");
  if (header.e_shnum == 0)
    return Status::success();
  if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shnum > maxSections)
    return notELF("malformed section table");
  uint64_t tableSize = uint64_t(header.e_shnum) * sizeof(Elf64_Shdr);
  if (header.e_shoff > fileSize || tableSize > fileSize - header.e_shoff)
    return notELF("truncated, its section table lies beyond the end");
  if (header.e_shstrndx >= header.e_shnum)
    return notELF("no section names");
  return Status::success();
}

Status tssa::runtime::readSections(uint64_t fileSize, const ReadAt &read, ELFSections &sections) {
  if (fileSize < sizeof(Elf64_Ehdr))
    return notELF(fileSize ? "too short" : "empty file");
  Elf64_Ehdr &header = sections.header;
  if (Status status = read(0, &header, sizeof(header)); !status.ok())
    return status;
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return explainFormat(fileSize, read);
  if (Status status = checkHeader(header, fileSize); !status.ok())
    return status;
  if (header.e_shnum == 0)
    return Status::success();
  sections.sections.resize(header.e_shnum);
  if (Status status =
          read(header.e_shoff, sections.sections.data(), header.e_shnum * sizeof(Elf64_Shdr));
      !status.ok())
    return status;
  const Elf64_Shdr &table = sections.sections[header.e_shstrndx];
  if (table.sh_size > maxNames || table.sh_offset > fileSize ||
      table.sh_size > fileSize - table.sh_offset)
    return notELF("malformed section names");
  sections.names.resize(table.sh_size);
  if (Status status = read(table.sh_offset, sections.names.data(), table.sh_size); !status.ok())
    return status;
  if (!sections.names.empty() && sections.names.back() != '\0')
    return notELF("malformed section names");
  return Status::success();
}
