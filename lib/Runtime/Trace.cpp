//===- Trace.cpp ---------------------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tssa/Runtime/Trace.h"

#include "tssa/Runtime/ThreadPool.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <new>
#include <unistd.h>

using namespace tssa::runtime;

void Trace::Free::operator()(TraceEvent *events) const { std::free(events); }

Trace::Trace(size_t maxEvents)
    : maxEvents(maxEvents),
      // The pages become resident when events are written to them.
      events(static_cast<TraceEvent *>(
          std::calloc(std::max<size_t>(maxEvents, 1), sizeof(TraceEvent)))) {
  if (!events)
    throw std::bad_alloc();
}

int64_t Trace::now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

int32_t Trace::getThread() {
  // After a fork, the child's thread has another number than the one that it continues.
  struct Known {
    unsigned forks = 0;
    int32_t thread = 0;
  };
  static thread_local Known known;
  if (unsigned forks = countForks(); known.thread == 0 || known.forks != forks)
    known = {forks, gettid()};
  return known.thread;
}

std::optional<size_t> Trace::beginRun() {
  size_t index = next.fetch_add(1, std::memory_order_relaxed);
  if (index >= maxEvents)
    return std::nullopt;
  TraceEvent event;
  event.thread = getThread();
  event.run = runs.fetch_add(1, std::memory_order_relaxed);
  event.begin = event.end = now();
  event.value = TSSA_CANCELLED;
  events[index] = event;
  return index;
}

void Trace::add(const TraceEvent &event) noexcept {
  size_t index = next.fetch_add(1, std::memory_order_relaxed);
  if (index < maxEvents)
    events[index] = event;
}

size_t Trace::getNumEvents() const { return std::min(next.load(), maxEvents); }

void Trace::clear() {
  next.store(0);
  runs.store(0);
}
