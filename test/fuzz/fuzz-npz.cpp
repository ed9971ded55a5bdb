//===- fuzz-npz.cpp - hostile .npz files -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/fuzz/MemoryFile.h"
#include "tssa/Runtime/Npz.h"

using namespace tssa::runtime;

/// Reads the input as an .npz file, to test the zip reader: directory, members, compression.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  tssa::fuzz::MemoryFile file(data, size);
  std::vector<NpzEntry> entries;
  Status status = readNpz(file.getPath(), entries);
  if (!status.ok() && status.message.empty())
    __builtin_trap();
  return 0;
}
