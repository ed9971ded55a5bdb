//===- DeviceMemory.cpp ---------------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "DeviceMemory.h"

#include <algorithm>
#include <new>
#include <utility>

using namespace tssa::runtime;

static constexpr uint64_t leastPiece = 256;

/// Returns whether an allocation of `size` bytes is large enough for `bytes`, and not more than
/// twice as large as needed.
static bool serves(uint64_t size, uint64_t bytes) {
  return size >= bytes && size / 2 <= std::max(bytes, leastPiece);
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
  auto piece = idle.lower_bound(bytes);
  if (piece == idle.end() || !serves(piece->first, bytes))
    return nullptr;
  void *memory = piece->second;
  size = piece->first;
  idle.erase(piece);
  return memory;
}

Status DevicePool::acquire(uint64_t bytes, void *&memory, uint64_t &size) {
  if (bytes > uint64_t(INT64_MAX))
    return makeError(TSSA_OUT_OF_MEMORY, "cannot allocate " + std::to_string(bytes) + " bytes");
  bytes = std::max(bytes, leastPiece);
  memory = takeIdle(bytes, size);
  if (memory)
    return Status::success();
  size = bytes;
  Status status = device.allocate(bytes, memory);
  if (status.code != TSSA_OUT_OF_MEMORY)
    return status;
  // Freeing the idle memory of past runs may make enough room.
  freeIdle();
  return device.allocate(bytes, memory);
}

void DevicePool::release(void *memory, uint64_t size) noexcept {
  std::lock_guard<std::mutex> lock(mutex);
  try {
    idle.emplace(size, memory);
  } catch (const std::bad_alloc &) {
    device.free(memory); // there is no host memory for an entry in the list
    return;
  }
  if (idle.size() <= maxIdle)
    return;
  // Free the smallest allocation: it is the fastest to make again.
  device.free(idle.begin()->second);
  idle.erase(idle.begin());
}

DeviceMemory::~DeviceMemory() {
  for (const Piece &piece : pieces)
    if (piece.memory)
      pool.release(piece.memory, piece.size);
}

/// Returns the smallest released allocation that serves `bytes`, or null.
DeviceMemory::Piece *DeviceMemory::findSpare(uint64_t bytes) {
  Piece *found = nullptr;
  for (Piece &piece : pieces)
    if (piece.memory && !piece.inUse && serves(piece.size, bytes) &&
        (!found || piece.size < found->size))
      found = &piece;
  return found;
}

Status DeviceMemory::allocate(uint64_t bytes, void *&memory) {
  Piece *piece = findSpare(bytes);
  if (!piece) {
    piece = &pieces.emplace_back();
    if (Status status = pool.acquire(bytes, piece->memory, piece->size); !status.ok()) {
      pieces.pop_back();
      return status;
    }
  }
  piece->asked = bytes;
  piece->inUse = true;
  memory = piece->memory;
  return Status::success();
}

uint64_t DeviceMemory::release(void *memory) noexcept {
  for (Piece &piece : pieces)
    if (piece.inUse && piece.memory == memory)
      return std::exchange(piece.inUse, false) ? piece.asked : 0;
  return 0;
}
