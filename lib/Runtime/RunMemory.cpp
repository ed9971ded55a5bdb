//===- RunMemory.cpp - the memory of a run and its limit ----------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RunState.h"

#include "Checked.h"

#include <algorithm>

using namespace tssa::runtime;

bool RunState::charge(uint64_t bytes) {
  std::lock_guard<std::mutex> lock(memoryMutex);
  std::optional<int64_t> sum = (tssa::CheckedSize(held) + tssa::CheckedSize(bytes)).get();
  uint64_t limit = context.session.memoryLimit;
  if (!sum || (limit && uint64_t(*sum) > limit))
    return false;
  held = uint64_t(*sum);
  traceMemory();
  if (limit)
    context.results.trim(limit - held);
  return true;
}

/// Charges `bytes`. If that would exceed the limit, reports an error and returns false. `port` is
/// the result that needs the memory; null for memory that the program allocates.
bool RunState::chargeOrFail(uint64_t bytes, const Port *port) {
  if (charge(bytes))
    return true;
  std::string text = std::to_string(bytes);
  fail(TSSA_OUT_OF_MEMORY, -1,
       (port ? nameOf(*port) + " of " + text + " bytes exceeds" : text + " more bytes exceed") +
           " the limit of " + std::to_string(context.session.memoryLimit) + " bytes for one run");
  return false;
}

void *RunState::allocateOnHost(uint64_t bytes) {
  // An empty request gets memory too, so that all pointers are distinct.
  bytes = std::max<uint64_t>(bytes, 1);
  if (!chargeOrFail(bytes, nullptr))
    return nullptr;
  DynamicPool::Allocation allocation;
  if (context.memory.acquire(bytes, allocation) ||
      (context.results.trim(0) && context.memory.acquire(bytes, allocation))) {
    void *memory = allocation.getData();
    std::lock_guard<std::mutex> lock(memoryMutex);
    dynamicMemory.emplace(memory, std::move(allocation));
    return memory;
  }
  fail(TSSA_OUT_OF_MEMORY, -1, "cannot allocate " + std::to_string(bytes) + " bytes");
  return nullptr;
}

void RunState::releaseOnHost(void *memory) {
  std::lock_guard<std::mutex> lock(memoryMutex);
  auto entry = dynamicMemory.find(memory);
  if (entry == dynamicMemory.end())
    return;
  held -= entry->second.getSize();
  dynamicMemory.erase(entry);
  traceMemory();
}

void *RunState::allocateOnDevice(uint64_t bytes) {
  bytes = std::max<uint64_t>(bytes, 1);
  void *memory = nullptr;
  if (!chargeOrFail(bytes, nullptr) || report(device->allocate(bytes, memory)))
    return nullptr;
  return memory;
}

void RunState::releaseOnDevice(void *memory) { refund(device->release(memory)); }

void RunState::refund(uint64_t bytes) {
  std::lock_guard<std::mutex> lock(memoryMutex);
  held -= bytes;
  traceMemory();
}
