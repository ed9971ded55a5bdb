//===- RunState.h - the host's state of one run --------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_RUNTIME_RUNSTATE_H
#define TSSA_LIB_RUNTIME_RUNSTATE_H

#include "Arguments.h"
#include "Device/DeviceRun.h"
#include "RunTrace.h"
#include "ScratchParts.h"
#include "tssa/Runtime/BufferPool.h"
#include "tssa/Runtime/ThreadPool.h"
#include "tssa/Support/RandomKeys.h"

#include <chrono>
#include <unordered_map>

namespace tssa::runtime {

/// Implements tssa_host::math.
double evaluateMath(int32_t function, double x, double y);

/// The parts of a session that a run uses.
struct RunContext {
  const Manifest &manifest;
  const Variant &variant;
  DeviceProgram *program; ///< null on the CPU
  const void *weights;    ///< on the device, if there is one
  ThreadPool *pool;       ///< null if the embedder runs parallel loops
  DynamicPool &memory;    ///< host memory that the program allocates
  ResultPool &results;    ///< host memory of results
  const SessionOptions &session;
  const RunOptions &run;
  uint64_t seed;      ///< of random numbers
  uint64_t runNumber; ///< the number of earlier runs of the session
  unsigned threads;   ///< that run kernels
  RunTrace &trace;
};

/// The tssa_host of one run and its state: the memory that counts against the limit, the
/// results, the first reported failure, the clock, and the run on the device.
class RunState {
public:
  RunState(const RunContext &context, const BoundInputs &inputs,
           const std::vector<BoundOutput> &outputs);

  /// Copies the arguments to the device, if there is one. Fails if the run has been cancelled
  /// already.
  Status start();
  const tssa_host *getHost() const { return &host; }
  tssa_tensor *getArgs() { return args.data(); }
  tssa_tensor *getResults() { return resultViews.data(); }

  /// Counts `bytes` against the memory limit of the run. Returns false if the limit would be
  /// exceeded. Otherwise frees idle memory of results that the limit has no room for.
  bool charge(uint64_t bytes);
  /// Allocates the arena on the device; `bytes` have been charged. Only for runs on a device.
  Status allocateArena(uint64_t bytes, void *&arena);
  /// Sets the memory of the threads that run kernels: a part of `bytes` bytes for each.
  void setScratch(void *memory, uint64_t bytes);
  /// Completes the run after the program has returned `code`, and returns the run's outcome. On
  /// success, results and overwritten arguments are in host memory.
  Status finish(int32_t code);
  /// After a run that succeeded, moves the requested results to `tensors`.
  void takeResults(std::vector<Tensor> &tensors);

private:
  tssa_host host{}, onHost{};
  const RunContext &context;
  const BoundInputs &inputs;
  const std::vector<BoundOutput> &outputs;
  std::chrono::steady_clock::time_point deadline;

  std::unique_ptr<DeviceRun> device;     ///< null on the CPU
  std::unique_ptr<ScratchParts> scratch; ///< null if no kernel needs it
  void *grownScratch = nullptr;          ///< its memory, if the program asked for it
  std::vector<tssa_tensor> args;         ///< as the program sees them
  std::vector<tssa_tensor> resultViews;
  /// For each result, null if the program writes it to `results[i].data`. Otherwise the memory to
  /// which the program writes it: device memory, or `shadows[i]` for the new contents of an
  /// argument.
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
  std::atomic<bool> outOfMemory{false}; ///< there was no memory for the error message
  Status failure;

  RandomKeys randomKeys;

  int64_t launchStart = 0; ///< as Trace::now

  template <typename T, typename Work>
  static T guard(const tssa_host *host, T onFailure, Work work);
  int32_t fail(int32_t code, int32_t node, std::string text);
  /// Reports `fault` unless it is success; returns its code.
  int32_t report(RunFault fault);
  void runLoop(int64_t n, int64_t grain, tssa_body body, void *data);
  void *allocateOnHost(uint64_t bytes);
  void releaseOnHost(void *memory);
  bool reserveScratch(uint64_t bytes);
  void *allocateOnDevice(uint64_t bytes);
  void releaseOnDevice(void *memory);
  bool chargeOrFail(uint64_t bytes, const Port *port);
  void refund(uint64_t bytes);
  /// Notes in the trace how much memory the run holds. The caller holds `memoryMutex`.
  void traceMemory();
  int32_t launch(int32_t launch, int64_t blocks, void **params);
  int32_t copy(void *to, const void *from, uint64_t bytes, int32_t kind);
  void *result(tssa_tensor *view, int32_t index, int32_t rank, const int64_t *shape);
  std::optional<std::string> checkShape(int32_t index, int32_t rank, const int64_t *shape) const;
  bool allocateResult(uint64_t bytes, const Port &port, Buffer &buffer);
  bool prepareStorage(int32_t index, uint64_t bytes);
  void *makeDestination(int32_t index, uint64_t bytes);
  bool isOverwritten(size_t input) const;
  Status judge(int32_t code);
  RunFault fetch();
  Status deliver();
  bool shouldStop();
  /// Returns whether somebody wants to know when launches begin and end.
  bool watchesLaunches() const { return context.run.profile || context.trace.isOn(); }
  /// Returns the reason why `shouldStop` returned true.
  Status whyStopped() const;
  void recordLaunch(int32_t launch, int32_t phase);
  void recordFlops(int32_t launch, int64_t flops);
  void prepareResults();
  void installCallbacks();
  void installScratchCallbacks();
  /// Adds the callbacks that a run with a profile or a trace has.
  void installWatchingCallbacks();
  /// Replaces the callbacks that allocate by those for the device's memory.
  void installDeviceCallbacks();
};

} // namespace tssa::runtime

#endif // TSSA_LIB_RUNTIME_RUNSTATE_H
