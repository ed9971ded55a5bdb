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
#include <vector>

namespace tssa::runtime {

constexpr char manifestSectionName[] = ".tssa.manifest";
constexpr char weightsSectionName[] = ".tssa.weights";

/// The section table of a 64-bit little-endian shared object.
struct ELFSections {
  Elf64_Ehdr header{};
  std::vector<Elf64_Shdr> sections;
  std::string names; ///< contents of the section name table

  /// The section called `name`, or null; null too when there are two.
  const Elf64_Shdr *find(const std::string &name) const;
};

/// Reads and checks the header and the section table. No offset is trusted.
Status readSections(uint64_t fileSize, const ReadAt &read,
                    ELFSections &sections);

} // namespace tssa::runtime

#endif // TSSA_LIB_RUNTIME_ELFSECTIONS_H
