//===- version.c - a program that needs only the headers ------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/tssa.h"

int main(void) { return tssa_version() == 0; }
