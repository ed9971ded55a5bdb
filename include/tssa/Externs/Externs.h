//===- Externs.h - library routines as LLVM bitcode ------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_EXTERNS_EXTERNS_H
#define TSSA_EXTERNS_EXTERNS_H

#include <string_view>

namespace tssa {

/// Bitcode of all routines that host programs call by name, for any x86-64; what
/// links it gives it its machine.
std::string_view getRoutinesBitcode();

/// Bitcode of memcpy, memmove and memset, which code generation calls by name.
std::string_view getMemoryBitcode();

} // namespace tssa

#endif // TSSA_EXTERNS_EXTERNS_H
