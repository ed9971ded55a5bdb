//===- Tools.cpp - the compiler and the tuner in one program --------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/tssa-compile/Main.h"
#include "tools/tssa-tune/Main.h"
#include "llvm/Support/Path.h"

int main(int argc, char **argv) {
  bool isTuner = argc > 0 && llvm::sys::path::filename(argv[0]) == "tssa-tune";
  return isTuner ? tssa::tune::tuneMain(argc, argv) : tssa::compile::compileMain(argc, argv);
}
