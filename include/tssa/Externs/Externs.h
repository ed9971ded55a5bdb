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

/// Returns the bitcode of all routines that host programs call by name. The bitcode is compiled for
/// baseline x86-64; the code that links it sets the target CPU.
std::string_view getRoutinesBitcode();

/// Returns the bitcode of memcpy, memmove and memset, which generated code calls by name.
std::string_view getMemoryBitcode();

} // namespace tssa

#endif // TSSA_EXTERNS_EXTERNS_H
