//===- version.cpp - a program that needs only the headers ------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/tssa.hpp"

static_assert(__cplusplus >= 201703L, "TSSA::runtime asks for C++17");

int main() { return tssa_version() == 0; }
