//===- Allocations.cpp - an allocator that can fail ----------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// All allocations of the process, including those of the C library itself, call the functions
/// here, which call the C library. Any of them can be made to fail. Large aligned allocations, such
/// as the buffers of a run, can be placed on separate pages.
///
//===----------------------------------------------------------------------===//
#include "Soak.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <sys/mman.h>

extern "C" {
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);
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

static constexpr size_t page = 4096;
/// The bytes of pages on each side of an allocation that has separate pages.
static constexpr size_t surroundings = 16 * page;
static constexpr size_t mostPlaced = 256;
static std::atomic<int> placement{int(tssa::soak::Placement::Heap)};
static std::atomic<char *> placed[mostPlaced]; ///< allocations on separate pages, never freed
static std::atomic<size_t> placedCount{0};

/// Allocates `size` bytes that begin or end at a page boundary.
static void *place(size_t alignment, size_t size, tssa::soak::Placement where) {
  size_t inside = (size + page - 1) / page * page;
  size_t number = placedCount++;
  if (alignment > page || number >= mostPlaced)
    return nullptr;
  void *whole = mmap(nullptr, inside + 2 * surroundings, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (whole == MAP_FAILED)
    return nullptr;
  char *start = static_cast<char *>(whole), *first = start + surroundings;
  std::memset(start, 0, inside + 2 * surroundings);
  if (where != tssa::soak::Placement::AmongPages) {
    mprotect(start, surroundings, PROT_NONE);
    mprotect(first + inside, surroundings, PROT_NONE);
  }
  if (where != tssa::soak::Placement::AtStartOfPages)
    first += (inside - size) / alignment * alignment;
  placed[number] = first;
  return first;
}

static bool isPlaced(void *memory) {
  for (size_t i = 0, count = std::min(placedCount.load(), mostPlaced); i < count; ++i)
    if (placed[i] == memory)
      return true;
  return false;
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
  if (refuse())
    return nullptr;
  auto where = tssa::soak::Placement(placement.load());
  if (where != tssa::soak::Placement::Heap && size >= page)
    return place(alignment, size, where);
  return __libc_memalign(alignment, size);
}
EXPORT void free(void *memory) {
  if (memory && !isPlaced(memory))
    __libc_free(memory);
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

void placeAllocations(Placement where) { placement = int(where); }

} // namespace tssa::soak
