//===- Threads.cpp - the threads that compile -----------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Pipeline/Threads.h"

#include <system_error>

namespace tssa {

Threads::Threads(unsigned count) {
  try {
    for (unsigned i = 1; i < count; ++i)
      workers.emplace_back([this] { runUntil([this] { return isEnding && queue.empty(); }); });
  } catch (const std::system_error &) {
    // The system allows no more.
  }
}

Threads::~Threads() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    isEnding = true;
  }
  changed.notify_all();
  for (std::thread &worker : workers)
    worker.join();
}

void Threads::asyncEnqueue(llvm::unique_function<void()> work, llvm::ThreadPoolTaskGroup *group) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    queue.push_back({std::move(work), group});
    ++unfinishedOf[group];
  }
  changed.notify_all();
}

void Threads::runTask(std::unique_lock<std::mutex> &lock) {
  Task task = std::move(queue.front());
  queue.pop_front();
  lock.unlock();
  task.work();
  task.work = nullptr; // what it holds belongs to the task
  lock.lock();
  if (--unfinishedOf[task.group] == 0)
    unfinishedOf.erase(task.group);
  changed.notify_all();
}

void Threads::runUntil(llvm::function_ref<bool()> isDone) {
  std::unique_lock<std::mutex> lock(mutex);
  while (!isDone())
    if (queue.empty())
      changed.wait(lock);
    else
      runTask(lock);
}

void Threads::wait() {
  runUntil([this] { return unfinishedOf.empty(); });
}

void Threads::wait(llvm::ThreadPoolTaskGroup &group) {
  runUntil([&] { return !unfinishedOf.contains(&group); });
}

} // namespace tssa
