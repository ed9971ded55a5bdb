//===- ELFSections.h - section headers of an untrusted ELF file ----------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_RUNTIME_ELFSECTIONS_H
#define TSSA_LIB_RUNTIME_ELFSECTIONS_H

#include "File.h"

#include <elf.h>
#include <string_view>
#include <vector>

namespace tssa::runtime {

constexpr char manifestSectionName[] = ".tssa.manifest";
/// Followed by the suffix of the first variant whose weights they are.
constexpr char weightsSectionName[] = ".tssa.weights";
/// Followed by a number.
constexpr char imageSectionName[] = ".tssa.image";
/// What the names of all that an artifact adds begin with.
constexpr char sectionPrefix[] = ".tssa.";

/// The section table of a 64-bit little-endian shared object.
struct ELFSections {
  Elf64_Ehdr header{};
  std::vector<Elf64_Shdr> sections;
  std::string names; ///< contents of the section name table

  /// The section called `name`, or null; null too when there are two.
  const Elf64_Shdr *find(const std::string &name) const;
  /// The name of a section, or "" where the table has none for it.
  std::string_view getName(const Elf64_Shdr &section) const;
};

/// Reads and checks the header and the section table. No offset is trusted.
Status readSections(uint64_t fileSize, const ReadAt &read, ELFSections &sections);

} // namespace tssa::runtime

#endif // TSSA_LIB_RUNTIME_ELFSECTIONS_H
