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
/// This is followed by the suffix of the first variant that has these weights.
constexpr char weightsSectionName[] = ".tssa.weights";
/// This is followed by a number.
constexpr char imageSectionName[] = ".tssa.image";
/// The prefix of the names of all sections that an artifact adds.
constexpr char sectionPrefix[] = ".tssa.";

/// The section table of a 64-bit little-endian shared object.
struct ELFSections {
  Elf64_Ehdr header{};
  std::vector<Elf64_Shdr> sections;
  std::string names; ///< contents of the section name table

  /// Returns the section called `name`, or null if there is not exactly one.
  const Elf64_Shdr *find(const std::string &name) const;
  /// Returns the name of a section, or "" if the name table does not contain it.
  std::string_view getName(const Elf64_Shdr &section) const;
};

/// Reads the header and the section table, and checks all offsets.
Status readSections(uint64_t fileSize, const ReadAt &read, ELFSections &sections);

} // namespace tssa::runtime

#endif // TSSA_LIB_RUNTIME_ELFSECTIONS_H
