//===- SHA256.h - the hash of artifact parts and cache keys --------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_RUNTIME_SHA256_H
#define TSSA_RUNTIME_SHA256_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tssa::runtime {

/// Computes the SHA-256 of a stream, with the CPU's SHA instructions if it has them.
class SHA256 {
public:
  SHA256();
  void update(const void *data, size_t size);
  void update(std::string_view data) { update(data.data(), data.size()); }
  /// Returns the digest of all data so far. The object must not be used afterwards.
  std::array<uint8_t, 32> final();

  static std::array<uint8_t, 32> hash(std::string_view data);

private:
  std::array<uint32_t, 8> state;
  std::array<uint8_t, 64> block;
  uint64_t length = 0;
};

/// Returns the hexadecimal digits of a hash.
template <size_t size> std::string toHex(const std::array<uint8_t, size> &hash) {
  std::string text;
  for (uint8_t byte : hash) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

} // namespace tssa::runtime

#endif // TSSA_RUNTIME_SHA256_H
