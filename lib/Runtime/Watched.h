//===- Watched.h - memory that only AddressSanitizer protects ---------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// In a build with AddressSanitizer, `forbid` makes memory within an allocation unusable, and
/// `allow` makes it usable again. In other builds they do nothing. Only accesses by
/// instrumented code are detected.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_RUNTIME_WATCHED_H
#define TSSA_LIB_RUNTIME_WATCHED_H

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define TSSA_WATCHED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TSSA_WATCHED 1
#endif
#endif
#ifdef TSSA_WATCHED
#include <sanitizer/asan_interface.h>
#endif

namespace tssa::runtime {

inline void forbid([[maybe_unused]] void *memory, [[maybe_unused]] size_t bytes) {
#ifdef TSSA_WATCHED
  __asan_poison_memory_region(memory, bytes);
#endif
}

inline void allow([[maybe_unused]] void *memory, [[maybe_unused]] size_t bytes) {
#ifdef TSSA_WATCHED
  __asan_unpoison_memory_region(memory, bytes);
#endif
}

} // namespace tssa::runtime

#endif // TSSA_LIB_RUNTIME_WATCHED_H
