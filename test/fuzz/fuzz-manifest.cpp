//===- fuzz-manifest.cpp - hostile manifests -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Runtime/Manifest.h"
#include "tssa/Runtime/SHA256.h"
#include <cstdlib>

using namespace tssa::runtime;

/// The input is the payload; the header around it is right, so that the decoder
/// itself is reached. What is accepted must encode to the same bytes.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const std::string header = encodeManifest({}).substr(0, 16);
  std::string bytes = header;
  uint64_t payload = size;
  bytes.append(reinterpret_cast<const char *>(&payload), sizeof(payload));
  SHA256 sha;
  sha.update(bytes);
  sha.update(data, size);
  Digest digest = sha.final();
  bytes.append(reinterpret_cast<const char *>(digest.data()), digest.size());
  bytes.append(reinterpret_cast<const char *>(data), size);
  Manifest manifest;
  if (decodeManifest(bytes, manifest).ok() && encodeManifest(manifest) != bytes)
    std::abort();
  return 0;
}
