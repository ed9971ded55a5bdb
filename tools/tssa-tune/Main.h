//===- Main.h - the program tssa-tune ---------------------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TOOLS_TSSA_TUNE_MAIN_H
#define TOOLS_TSSA_TUNE_MAIN_H

namespace tssa::tune {

/// Does what the program tssa-tune does. Returns its exit code.
int tuneMain(int argc, char **argv);

} // namespace tssa::tune

#endif // TOOLS_TSSA_TUNE_MAIN_H
