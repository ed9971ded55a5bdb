//===- XXH3.cpp - compiles xxHash's header into the runtime --------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tssa/Runtime/XXH3.h"

#include <algorithm>

// Every function of the header becomes static, so that the runtime depends on no other library.
// SSE2, which every x86-64 CPU has, hashes as fast as memory delivers: AVX2 is no faster.
#define XXH_INLINE_ALL
#include <xxhash.h>

using namespace tssa::runtime;

struct XXH3::State {
  XXH3_state_t xxh;
};

static Checksum toChecksum(XXH128_hash_t hash) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, hash);
  Checksum checksum;
  std::copy(std::begin(canonical.digest), std::end(canonical.digest), checksum.begin());
  return checksum;
}

XXH3::XXH3() : state(std::make_unique<State>()) { XXH3_128bits_reset(&state->xxh); }

XXH3::~XXH3() = default;

void XXH3::update(const void *data, size_t size) { XXH3_128bits_update(&state->xxh, data, size); }

Checksum XXH3::final() const { return toChecksum(XXH3_128bits_digest(&state->xxh)); }

Checksum XXH3::hash(std::string_view data) {
  return toChecksum(XXH3_128bits(data.data(), data.size()));
}
