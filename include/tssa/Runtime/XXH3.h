//===- XXH3.h - the hash of weights --------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_RUNTIME_XXH3_H
#define TSSA_RUNTIME_XXH3_H

#include "tssa/Runtime/Manifest.h"

#include <memory>
#include <string_view>

namespace tssa::runtime {

/// Computes the XXH3-128 of a stream, at the speed of memory. It detects damage as SHA-256 does,
/// but unlike SHA-256 it does not withstand somebody who looks for other bytes with an equal hash.
class XXH3 {
public:
  XXH3();
  ~XXH3();
  void update(const void *data, size_t size);
  /// Returns the checksum of all data so far, in the canonical order of its bytes.
  Checksum final() const;

  static Checksum hash(std::string_view data);

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace tssa::runtime

#endif // TSSA_RUNTIME_XXH3_H
