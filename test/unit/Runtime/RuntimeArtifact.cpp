//===- RuntimeArtifact.cpp - writes the add program for other tests -------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RuntimeTest.h"

int main(int argc, char **argv) {
  if (argc < 2)
    return 2;
  if (argc == 2)
    tssa::runtime::test::writeAddArtifact(argv[1]);
  else
    tssa::runtime::test::writeDeviceArtifact(argv[1], {argv + 2, argv + argc});
  return 0;
}
