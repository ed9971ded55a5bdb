//===- fuzz-artifact.cpp - hostile artifacts -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Opens the input as an artifact and maps its weights, without executing any code of it. The
/// hashes would reject every mutation, so the mutator corrects them if the manifest and the
/// parts can still be found.
///
//===----------------------------------------------------------------------===//

#include "lib/Runtime/ELFSections.h"
#include "test/fuzz/MemoryFile.h"
#include "tssa/Runtime/Artifact.h"
#include "tssa/Runtime/SHA256.h"
#include "tssa/Runtime/XXH3.h"
#include <cstring>

using namespace tssa::runtime;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

/// Finds the offset and size of the manifest. Returns false if the file has none.
static bool findManifest(std::string_view bytes, uint64_t &offset, uint64_t &size) {
  ReadAt read = [&](uint64_t at, void *into, size_t count) {
    std::memcpy(into, bytes.data() + at, count);
    return Status::success();
  };
  ELFSections elf;
  if (!readSections(bytes.size(), read, elf).ok())
    return false;
  const Elf64_Shdr *section = elf.find(manifestSectionName);
  if (!section || section->sh_offset > bytes.size() ||
      section->sh_size > bytes.size() - section->sh_offset)
    return false;
  offset = section->sh_offset;
  size = section->sh_size;
  return true;
}

/// Returns the bytes in `extent`; none if it is not in the file.
static std::string_view getBytes(std::string_view bytes, const Extent &extent) {
  if (extent.offset > bytes.size() || extent.size > bytes.size() - extent.offset)
    return {};
  return bytes.substr(extent.offset, extent.size);
}

static void hashPart(std::string_view bytes, Part &part) {
  part.sha256 = SHA256::hash(getBytes(bytes, part));
}

/// Corrects the hash in the header of an encoded manifest, which covers the bytes before and after
/// it.
static void hashManifest(char *manifest, uint64_t size) {
  constexpr uint64_t hashAt = 24, payloadAt = 56;
  if (size < payloadAt)
    return;
  SHA256 sha;
  sha.update(std::string_view(manifest, hashAt));
  sha.update(std::string_view(manifest + payloadAt, size - payloadAt));
  Digest digest = sha.final();
  std::memcpy(manifest + hashAt, digest.data(), digest.size());
}

static void repairHashes(char *data, size_t size) {
  std::string_view bytes(data, size);
  uint64_t at = 0, length = 0;
  if (!findManifest(bytes, at, length))
    return;
  hashManifest(data + at, length);
  Manifest manifest;
  if (!decodeManifest(bytes.substr(at, length), manifest).ok())
    return;
  hashPart(bytes, manifest.code);
  hashPart(bytes, manifest.tail);
  for (Variant &variant : manifest.variants) {
    variant.weights.xxh3 = XXH3::hash(getBytes(bytes, variant.weights));
    for (Image &image : variant.images)
      hashPart(bytes, image.part);
  }
  std::string encoded = encodeManifest(manifest);
  if (encoded.size() == length)
    std::memcpy(data + at, encoded.data(), length);
}

/// Changes the manifest or any other bytes.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize,
                                          unsigned seed) {
  char *bytes = reinterpret_cast<char *>(data);
  uint64_t at = 0, length = 0;
  if (seed % 2 && findManifest({bytes, size}, at, length) && length)
    LLVMFuzzerMutate(data + at, length, length);
  else
    size = LLVMFuzzerMutate(data, size, maxSize);
  if (seed % 16)
    repairHashes(bytes, size);
  return size;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  tssa::fuzz::MemoryFile file(data, size);
  std::unique_ptr<Artifact> artifact;
  Status status = Artifact::open(file.getPath(), artifact);
  if (!status.ok()) {
    if (status.message.empty() || artifact)
      __builtin_trap();
    return 0;
  }
  for (size_t i = 0; i < artifact->getManifest().variants.size(); ++i)
    if (artifact->mapWeights(i, VerifyWeights::Always).ok())
      (void)*static_cast<const volatile char *>(artifact->getWeights());
  return 0;
}
