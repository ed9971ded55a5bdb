//===- fuzz-npy.cpp - hostile .npy files -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Runtime/Npz.h"

using namespace tssa::runtime;

/// Decodes the input as one array. In fuzz-npz, the checksums of members would reject mutations of
/// arrays.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Tensor tensor;
  Status status = decodeNpy({reinterpret_cast<const char *>(data), size}, tensor);
  if (!status.ok() && status.message.empty())
    __builtin_trap();
  return 0;
}
