//===- Watched.h - memory that AddressSanitizer knows more of -------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// In a build with AddressSanitizer, memory within an allocation can be made unusable;
/// in others nothing here does anything. Only code that is itself watched notices.
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
