//===- tssa-compile.cpp - compiles a model to an artifact -----------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Main.h"

int main(int argc, char **argv) { return tssa::compile::compileMain(argc, argv); }
