//===- Allocations.cpp - an allocator that refuses -----------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Every allocation of the process goes through here and on to the C library: so any of
/// them can be made to fail, those of the C library itself too.
///
//===----------------------------------------------------------------------===//
#include "Soak.h"

#include <atomic>
#include <cerrno>

extern "C" {
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
}

static std::atomic<int64_t> left{-1};
static std::atomic<bool> allLater{false};
static std::atomic<int64_t> refusedCount{0};

static bool refuse() {
  int64_t seen = left.load(std::memory_order_relaxed);
  while (seen > 0 && !left.compare_exchange_weak(seen, seen - 1)) {
  }
  if (seen != 0)
    return false;
  ++refusedCount;
  if (!allLater)
    left = -1;
  errno = ENOMEM;
  return true;
}

#define EXPORT __attribute__((visibility("default"))) // for shared libraries too

extern "C" {
EXPORT void *malloc(size_t size) { return refuse() ? nullptr : __libc_malloc(size); }
EXPORT void *calloc(size_t count, size_t size) {
  return refuse() ? nullptr : __libc_calloc(count, size);
}
EXPORT void *realloc(void *memory, size_t size) {
  return refuse() ? nullptr : __libc_realloc(memory, size);
}
EXPORT void *memalign(size_t alignment, size_t size) {
  return refuse() ? nullptr : __libc_memalign(alignment, size);
}
EXPORT void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }
EXPORT int posix_memalign(void **memory, size_t alignment, size_t size) {
  *memory = memalign(alignment, size);
  return *memory ? 0 : ENOMEM;
}
}

namespace tssa::soak {

void refuseAllocation(int64_t number, bool andAllLater) {
  if (number >= 0)
    refusedCount = 0;
  allLater = andAllLater;
  left = number;
}

int64_t countRefused() { return refusedCount; }

} // namespace tssa::soak
