//===- ForeignObject.h - routines that users compiled -----------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_IMPORT_FOREIGNOBJECT_H
#define TSSA_IMPORT_FOREIGNOBJECT_H

#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace tssa {

/// An object file with routines of a user, which te.extern calls (tssa_routine in abi.h).
struct ForeignObject {
  std::string path;
  std::string bytes;
  std::vector<std::string> routines; ///< their names without `tssa_extern_`
};

/// Reads an object file, which must be a relocatable ELF file for x86-64 that defines a routine, is
/// none of the compiler's, and uses nothing that an artifact does not have. The error is a clause
/// about the file.
llvm::Expected<ForeignObject> readForeignObject(const std::string &path);

} // namespace tssa

#endif // TSSA_IMPORT_FOREIGNOBJECT_H
