//===- BuildID.h - which build of a program a file is ----------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_RUNTIME_BUILDID_H
#define TSSA_RUNTIME_BUILDID_H

#include "tssa/Runtime/Status.h"

#include <string>

namespace tssa::runtime {

/// Sets `id` to the GNU build ID of an ELF file, a hash of its content that its linker wrote, in
/// hexadecimal digits; empty if it has none. Fails with TSSA_IO if the file cannot be read, and with
/// TSSA_CORRUPT if it is no 64-bit ELF file.
Status readBuildID(const std::string &path, std::string &id);

} // namespace tssa::runtime

#endif // TSSA_RUNTIME_BUILDID_H
