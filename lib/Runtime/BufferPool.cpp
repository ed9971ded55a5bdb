//===- BufferPool.cpp - memory kept between runs -------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Runtime/BufferPool.h"

#include "Watched.h"
#include "tssa/Runtime/ThreadPool.h"

#include <algorithm>
#include <utility>

using namespace tssa::runtime;

ArenaPool::ArenaPool() {
  // One more than the pool keeps, so that `release` does not allocate.
  idle.reserve(maxIdle + 1);
}

bool ArenaPool::acquire(uint64_t size, Buffer &buffer) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    auto fits = std::find_if(idle.begin(), idle.end(),
                             [&](const Buffer &b) { return b.getSize() >= size; });
    if (fits != idle.end()) {
      buffer = std::move(*fits);
      idle.erase(fits);
      return true;
    }
    // The new arena replaces the largest one, which is too small. So there are never more arenas
    // than there were runs in progress at one time.
    if (!idle.empty())
      idle.pop_back();
  }
  return buffer.allocate(size);
}

void ArenaPool::release(Buffer buffer) {
  if (buffer.getSize() == 0)
    return;
  std::lock_guard<std::mutex> lock(mutex);
  auto position = std::find_if(idle.begin(), idle.end(),
                               [&](const Buffer &b) { return b.getSize() >= buffer.getSize(); });
  idle.insert(position, std::move(buffer));
  // Drop the smallest arena: a larger one serves the same runs.
  if (idle.size() > maxIdle)
    idle.erase(idle.begin());
}

void ArenaPool::clear() {
  std::lock_guard<std::mutex> lock(mutex);
  idle.clear();
}

DynamicPool::Allocation::Allocation(Allocation &&other) noexcept
    : pool(std::exchange(other.pool, nullptr)), buffer(std::move(other.buffer)),
      size(std::exchange(other.size, 0)) {}

DynamicPool::Allocation &DynamicPool::Allocation::operator=(Allocation &&other) noexcept {
  std::swap(pool, other.pool);
  std::swap(buffer, other.buffer);
  std::swap(size, other.size);
  return *this;
}

DynamicPool::Allocation::~Allocation() {
  if (pool)
    pool->release(std::move(buffer), size);
}

DynamicPool::DynamicPool() { idle.reserve(maxIdle + 1); }

bool DynamicPool::takeIdle(uint64_t size, Buffer &buffer) {
  auto best = idle.end();
  for (auto candidate = idle.begin(); candidate != idle.end(); ++candidate)
    if (candidate->getSize() >= size &&
        (best == idle.end() || candidate->getSize() < best->getSize()))
      best = candidate;
  if (best == idle.end())
    return false;
  buffer = std::move(*best);
  idle.erase(best);
  idleBytes -= buffer.getSize();
  usedBytes += buffer.getSize();
  return true;
}

void DynamicPool::dropSurplus() {
  while (!idle.empty() && (idle.size() > maxIdle || (idleBytes + usedBytes) / 2 > mostAskedBytes)) {
    idleBytes -= idle.front().getSize();
    idle.erase(idle.begin());
  }
}

bool DynamicPool::acquire(uint64_t size, Allocation &allocation) {
  Allocation made;
  if (!allocate(size, made.buffer))
    return false;
  made.pool = this;
  made.size = size;
  allocation = std::move(made);
  return true;
}

bool DynamicPool::allocate(uint64_t size, Buffer &buffer) {
  if (size < leastBytes)
    return buffer.allocate(size);
  {
    std::lock_guard<std::mutex> lock(mutex);
    askedBytes += size;
    mostAskedBytes = std::max(mostAskedBytes, askedBytes);
    if (takeIdle(size, buffer)) {
      allow(buffer.getData(), size);
      return true;
    }
    usedBytes += size;
    dropSurplus();
  }
  if (buffer.allocate(size))
    return true;
  clear();
  if (buffer.allocate(size))
    return true;
  std::lock_guard<std::mutex> lock(mutex);
  usedBytes -= size;
  askedBytes -= size;
  return false;
}

void DynamicPool::release(Buffer buffer, uint64_t size) {
  if (size < leastBytes)
    return;
  forbid(buffer.getData(), buffer.getSize());
  std::lock_guard<std::mutex> lock(mutex);
  askedBytes -= size;
  usedBytes -= buffer.getSize();
  idleBytes += buffer.getSize();
  idle.push_back(std::move(buffer));
  dropSurplus();
}

uint64_t DynamicPool::getIdleBytes() {
  std::lock_guard<std::mutex> lock(mutex);
  return idleBytes;
}

void DynamicPool::clear() {
  std::lock_guard<std::mutex> lock(mutex);
  idle.clear();
  idleBytes = 0;
}

ResultPool::ResultPool() : forks(countForks()) { idle.reserve(maxIdle + 1); }

bool ResultPool::take(uint64_t size, Buffer &buffer) {
  if (size < leastBytes)
    return false;
  Buffer taken;
  {
    std::lock_guard<std::mutex> lock(mutex);
    auto best = idle.end();
    // Of equal sizes, the last one is the one that caches most likely hold.
    for (auto candidate = idle.begin(); candidate != idle.end(); ++candidate)
      if (candidate->capacity >= size && candidate->capacity - size <= size / 4 &&
          (best == idle.end() || candidate->capacity <= best->capacity))
        best = candidate;
    if (best == idle.end())
      return false;
    taken = std::move(*best);
    idle.erase(best);
    idleBytes -= taken.capacity;
  }
  taken.size = size;
  taken.pool = shared_from_this();
  allow(taken.getData(), size);
  buffer = std::move(taken);
  return true;
}

bool ResultPool::allocate(uint64_t size, Buffer &buffer) {
  if (!buffer.allocate(size) && !(trim(0) && buffer.allocate(size)))
    return false;
  if (size >= leastBytes)
    buffer.pool = shared_from_this();
  return true;
}

void ResultPool::keep(uint64_t bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  keptBytes = std::max(keptBytes, bytes);
}

void ResultPool::dropOldest() {
  idleBytes -= idle.front().capacity;
  idle.erase(idle.begin());
}

bool ResultPool::trim(uint64_t bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  uint64_t before = idleBytes;
  while (idleBytes > bytes)
    dropOldest();
  return idleBytes != before;
}

void ResultPool::release(Buffer buffer) {
  // In the child of a fork, a thread that does not exist there may hold the lock.
  if (countForks() != forks)
    return;
  forbid(buffer.getData(), buffer.capacity);
  std::lock_guard<std::mutex> lock(mutex);
  if (closed)
    return;
  idleBytes += buffer.capacity;
  idle.push_back(std::move(buffer));
  while (!idle.empty() && (idle.size() > maxIdle || idleBytes > keptBytes))
    dropOldest();
}

void ResultPool::close() {
  std::lock_guard<std::mutex> lock(mutex);
  closed = true;
  idle.clear();
  idleBytes = 0;
}

uint64_t ResultPool::getIdleBytes() {
  std::lock_guard<std::mutex> lock(mutex);
  return idleBytes;
}
