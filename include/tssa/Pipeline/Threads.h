//===- Threads.h - the threads that compile ---------------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A pool of threads for an MLIR context. A thread that waits for tasks executes tasks too, so that
/// one thread needs no other. LLVM's own pool ends the process if a thread cannot be started; this
/// one works with the threads that it gets.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_PIPELINE_THREADS_H
#define TSSA_PIPELINE_THREADS_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/ThreadPool.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

namespace tssa {

class Threads : public llvm::ThreadPoolInterface {
public:
  /// Starts up to `count` - 1 threads beside that of the caller; `count` must not be 0.
  explicit Threads(unsigned count);
  /// Waits for all tasks.
  ~Threads() override;

  void wait() override;
  void wait(llvm::ThreadPoolTaskGroup &group) override;
  unsigned getMaxConcurrency() const override { return workers.size() + 1; }

private:
  struct Task {
    llvm::unique_function<void()> work;
    llvm::ThreadPoolTaskGroup *group;
  };

  std::mutex mutex;
  /// Is notified when a task is added, when one ends, and at the end.
  std::condition_variable changed;
  std::deque<Task> queue;
  /// The numbers of tasks that have not ended, by group; a group without any is absent.
  llvm::DenseMap<llvm::ThreadPoolTaskGroup *, size_t> unfinishedOf;
  bool isEnding = false;
  std::vector<std::thread> workers;

  void asyncEnqueue(llvm::unique_function<void()> work, llvm::ThreadPoolTaskGroup *group) override;
  /// Takes a task and executes it without the lock.
  void runTask(std::unique_lock<std::mutex> &lock);
  /// Executes tasks until `isDone` holds.
  void runUntil(llvm::function_ref<bool()> isDone);
};

} // namespace tssa

#endif // TSSA_PIPELINE_THREADS_H
