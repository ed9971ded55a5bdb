//===- RunState.h - the host's side of one run ---------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_RUNTIME_RUNSTATE_H
#define TSSA_LIB_RUNTIME_RUNSTATE_H

#include "Arguments.h"
#include "Device/DeviceRun.h"
#include "tssa/Runtime/BufferPool.h"
#include "tssa/Runtime/ThreadPool.h"

#include <chrono>
#include <unordered_map>

namespace tssa::runtime {

/// tssa_host::math.
double evaluateMath(int32_t function, double x, double y);

/// What a run needs of its session.
struct RunContext {
  const Manifest &manifest;
  const Variant &variant;
  DeviceProgram *program; ///< null on the CPU
  const void *weights;    ///< on the device, if there is one
  ThreadPool *pool;       ///< null when the embedder's loops are used
  DynamicPool &memory;    ///< of the host, for what the program asks for
  const SessionOptions &session;
  const RunOptions &run;
};

/// The tssa_host of one run and everything behind it: memory counted against the
/// limit, results, the first reported failure, the clock, the device's side.
class RunState {
public:
  RunState(const RunContext &context, const BoundInputs &inputs,
           const std::vector<BoundOutput> &outputs);

  /// Copies the arguments to the device, if there is one. Fails when the run was
  /// cancelled before it began.
  Status start();
  const tssa_host *getHost() const { return &host; }
  tssa_tensor *getArgs() { return args.data(); }
  tssa_tensor *getResults() { return resultViews.data(); }

  /// Counts memory against the limit of the run; false when it passes it.
  bool charge(uint64_t bytes);
  /// The device's memory for the arena, already charged. Only with a device.
  Status allocateArena(uint64_t bytes, void *&arena);
  /// The outcome once the program returned `code`: on success, results and
  /// overwritten arguments are in the memory of the host.
  Status finish(int32_t code);
  /// The results that were asked for, after a run that succeeded.
  void takeResults(std::vector<Tensor> &tensors);

private:
  tssa_host host{}, onHost{};
  const RunContext &context;
  const BoundInputs &inputs;
  const std::vector<BoundOutput> &outputs;
  std::chrono::steady_clock::time_point deadline;

  std::unique_ptr<DeviceRun> device; ///< null on the CPU
  std::vector<tssa_tensor> args;     ///< as the program sees them
  std::vector<tssa_tensor> resultViews;
  /// Where the program writes a result when that is not `results[i].data`: memory
  /// of the device, or `shadows[i]` for what becomes an argument's contents.
  std::vector<void *> destinations;
  std::vector<Buffer> shadows;
  std::vector<Tensor> results;
  std::vector<bool> produced;

  std::mutex memoryMutex;
  std::unordered_map<void *, DynamicPool::Allocation> dynamicMemory;
  uint64_t held = 0;

  std::mutex failureMutex;
  std::atomic<bool> failed{false};
  std::atomic<bool> timedOut{false};
  std::atomic<bool> outOfMemory{false}; ///< too little even to say so
  Status failure;

  std::chrono::steady_clock::time_point launchStart;

  template <typename T, typename Work>
  static T guard(const tssa_host *host, T onFailure, Work work);
  int32_t fail(int32_t code, int32_t node, std::string text);
  /// Reports a fault, if it is one; returns its code.
  int32_t report(RunFault fault);
  void *allocateOnHost(uint64_t bytes);
  void releaseOnHost(void *memory);
  void *allocateOnDevice(uint64_t bytes);
  void releaseOnDevice(void *memory);
  bool chargeOrFail(uint64_t bytes, const Port *port);
  void refund(uint64_t bytes);
  int32_t launch(int32_t launch, int64_t blocks, void **params);
  int32_t copy(void *to, const void *from, uint64_t bytes, int32_t kind);
  void *result(tssa_tensor *view, int32_t index, int32_t rank, const int64_t *shape);
  std::optional<std::string> checkShape(int32_t index, int32_t rank, const int64_t *shape) const;
  bool prepareStorage(int32_t index, uint64_t bytes);
  void *makeDestination(int32_t index, uint64_t bytes);
  bool isOverwritten(size_t input) const;
  Status judge(int32_t code);
  RunFault fetch();
  Status deliver();
  bool shouldStop();
  /// The reason for which `shouldStop` turned true.
  Status whyStopped() const;
  void recordLaunch(int32_t launch, int32_t phase);
  void prepareResults();
  void installCallbacks();
};

} // namespace tssa::runtime

#endif // TSSA_LIB_RUNTIME_RUNSTATE_H
