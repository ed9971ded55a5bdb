//===- Main.h - the program tssa-compile ------------------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TOOLS_TSSA_COMPILE_MAIN_H
#define TOOLS_TSSA_COMPILE_MAIN_H

namespace tssa::compile {

/// Does what the program tssa-compile does. Returns its exit code.
int compileMain(int argc, char **argv);

} // namespace tssa::compile

#endif // TOOLS_TSSA_COMPILE_MAIN_H
