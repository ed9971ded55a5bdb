//===- DeviceMemory.cpp ---------------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "DeviceMemory.h"

#include <algorithm>
#include <tuple>

using namespace tssa::runtime;

static constexpr uint64_t leastPiece = 256;
/// Guarded reads of an empty tensor at the end of a piece touch the bytes behind it.
static constexpr uint64_t slack = 16;

/// The least piece that serves `bytes` and does not waste more than it serves.
static std::multimap<uint64_t, void *>::iterator
findPiece(std::multimap<uint64_t, void *> &pieces, uint64_t bytes) {
  auto piece = pieces.lower_bound(bytes);
  return piece != pieces.end() && piece->first / 2 <= std::max(bytes, leastPiece) ? piece : pieces.end();
}

DevicePool::~DevicePool() { freeIdle(); }

void DevicePool::freeIdle() {
  std::lock_guard<std::mutex> lock(mutex);
  for (auto [size, memory] : idle)
    device.free(memory);
  idle.clear();
}

void *DevicePool::takeIdle(uint64_t bytes, uint64_t &size) {
  std::lock_guard<std::mutex> lock(mutex);
  auto piece = findPiece(idle, bytes);
  if (piece == idle.end())
    return nullptr;
  void *memory = piece->second;
  size = piece->first;
  idle.erase(piece);
  return memory;
}

Status DevicePool::acquire(uint64_t bytes, void *&memory, uint64_t &size) {
  if (bytes > uint64_t(INT64_MAX))
    return makeError(TSSA_OUT_OF_MEMORY, "cannot allocate " + std::to_string(bytes) + " bytes");
  bytes = std::max(bytes + slack, leastPiece);
  memory = takeIdle(bytes, size);
  if (memory)
    return Status::success();
  size = bytes;
  Status status = device.allocate(bytes, memory);
  if (status.code != TSSA_OUT_OF_MEMORY)
    return status;
  // What past runs left may be what is missing.
  freeIdle();
  return device.allocate(bytes, memory);
}

void DevicePool::release(void *memory, uint64_t size) {
  std::lock_guard<std::mutex> lock(mutex);
  idle.emplace(size, memory);
  if (idle.size() <= maxIdle)
    return;
  // The smallest goes: it is the soonest made again.
  device.free(idle.begin()->second);
  idle.erase(idle.begin());
}

DeviceMemory::~DeviceMemory() {
  for (auto [memory, piece] : held)
    pool.release(memory, piece.size);
  for (auto [size, memory] : spare)
    pool.release(memory, size);
}

Status DeviceMemory::allocate(uint64_t bytes, void *&memory) {
  auto piece = findPiece(spare, bytes);
  uint64_t size = 0;
  if (piece != spare.end()) {
    std::tie(size, memory) = *piece;
    spare.erase(piece);
  } else if (Status status = pool.acquire(bytes, memory, size); !status.ok()) {
    return status;
  }
  held[memory] = {size, bytes};
  return Status::success();
}

uint64_t DeviceMemory::release(void *memory) {
  auto entry = held.find(memory);
  if (entry == held.end())
    return 0;
  auto [size, asked] = entry->second;
  held.erase(entry);
  spare.emplace(size, memory);
  return asked;
}
