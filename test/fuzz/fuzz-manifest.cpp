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

/// Decodes the input as the payload of a manifest, with a valid header, so that the decoder is
/// reached. A manifest that is accepted must be encoded to the same bytes.
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
