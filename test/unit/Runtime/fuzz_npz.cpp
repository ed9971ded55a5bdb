//===- fuzz_npz.cpp - hostile .npy for libFuzzer -------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tssa/Runtime/Npz.h"

using namespace tssa::runtime;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Tensor tensor;
  (void)decodeNpy({reinterpret_cast<const char *>(data), size}, tensor).ok();
  return 0;
}
