//===- ScratchParts.cpp --------------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ScratchParts.h"

#include <sched.h>
#include <thread>

using namespace tssa::runtime;

ScratchParts::ScratchParts(void *memory, unsigned count, uint64_t bytes)
    : memory(static_cast<char *>(memory)), count(count), bytes(bytes),
      uses(std::make_unique<Use[]>(count)) {}

bool ScratchParts::take(unsigned number) {
  std::atomic<bool> &taken = uses[number].taken;
  return !taken.load(std::memory_order_relaxed) && !taken.exchange(true, std::memory_order_acquire);
}

void *ScratchParts::acquire() {
  unsigned first = unsigned(sched_getcpu()) % count;
  while (true) {
    for (unsigned i = 0; i < count; ++i)
      if (unsigned number = (first + i) % count; take(number))
        return memory + number * bytes;
    std::this_thread::yield();
  }
}

void ScratchParts::release(void *part) {
  uint64_t number = uint64_t(static_cast<char *>(part) - memory) / bytes;
  uses[number].taken.store(false, std::memory_order_release);
}
