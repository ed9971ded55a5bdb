//===- Session.h - a loaded program, ready to run ------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_RUNTIME_SESSION_H
#define TSSA_RUNTIME_SESSION_H

#include "tssa/Runtime/Artifact.h"
#include "tssa/Runtime/BufferPool.h"
#include "tssa/Runtime/Options.h"
#include "tssa/Runtime/ThreadPool.h"

#include <map>

namespace tssa::runtime {

class DeviceProgram;
class LoadedCode;
class RunState;
struct DeviceChoice;

/// A loaded program. Any number of threads may call `run` at once. From run to run, only the number
/// of the run changes, on which random numbers depend.
class Session {
public:
  /// Reads and checks the artifact, then loads a private copy of its code. The hashes of
  /// code and manifest are verified before any code is executed.
  static Status load(const std::string &path, const SessionOptions &options,
                     std::unique_ptr<Session> &session);
  /// Closes the session, as `close` does.
  ~Session();
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;

  const Manifest &getManifest() const { return artifact->getManifest(); }
  /// Returns the variant of the program that this session runs.
  const Variant &getVariant() const { return getManifest().variants[variant]; }
  /// Returns "cpu", "cuda:0 (NVIDIA H200, sm_90)" or "cuda-emu".
  const std::string &getDeviceName() const { return deviceName; }
  bool weightsVerified() const { return artifact->weightsVerified(); }
  unsigned getThreadCount() const { return pool ? pool->getThreadCount() : 0; }

  /// Runs the program. `results` gets one tensor per request, in the same order; an empty
  /// list requests every output. An output without `into` gets new memory. Invalid arguments
  /// are reported before anything is written.
  Status run(const std::vector<NamedTensor> &inputs, const std::vector<OutputRequest> &requests,
             const RunOptions &options, std::vector<Tensor> &results);

  /// Checks `inputs` as `run` does and sets `arenaBytes` to the size of the arena that a run with
  /// these inputs needs, with the memory of the threads that run kernels.
  Status planMemory(const std::vector<NamedTensor> &inputs, int64_t &arenaBytes);

  /// Waits for runs in progress, then releases code, weights and memory. Runs that begin
  /// later are refused. Any number of threads may call this, and it may be called again.
  void close();
  /// Returns the number of runs in progress at some moment during the call.
  unsigned getActiveRuns();

private:
  Session() = default;
  SessionOptions options;
  std::unique_ptr<Artifact> artifact;
  size_t variant = 0;
  std::unique_ptr<LoadedCode> code;
  std::unique_ptr<DeviceProgram> program; ///< null on the CPU
  std::string deviceName = "cpu";
  std::shared_ptr<ThreadPool> pool;
  ArenaPool arenas;
  DynamicPool dynamicMemory;
  std::shared_ptr<ResultPool> resultMemory = std::make_shared<ResultPool>();
  uint64_t seed = 0; ///< of random numbers
  std::atomic<uint64_t> runs{0};

  unsigned forks = countForks(); ///< at load

  std::mutex mutex; ///< guards what follows
  bool closed = false;
  std::map<std::vector<int64_t>, int64_t> plans;
  unsigned activeRuns = 0;
  std::condition_variable idle;

  static Status loadChecked(const std::string &path, const SessionOptions &options,
                            std::unique_ptr<Session> &session);
  Status loadVariant(const std::string &device);
  Status loadProgram(const DeviceChoice &choice);
  /// Registers the start of a run, or returns the reason for refusing it. `leave` registers
  /// its end.
  Status enter();
  void leave();
  template <typename Work> Status guard(Work work);
  Status plan(const std::vector<int64_t> &sizes, int64_t &arenaBytes);
  /// Returns the number of threads that have memory of their own for kernels.
  unsigned countScratchParts() const;
  bool acquireArena(uint64_t bytes, Buffer &arena);
  int32_t execute(RunState &state, const Buffer &buffer, void *arena, int64_t arenaBytes);
  Status runInArena(RunState &state, const std::vector<int64_t> &sizes, int64_t arenaBytes);
  Status runChecked(const std::vector<NamedTensor> &inputs,
                    const std::vector<OutputRequest> &requests, const RunOptions &options,
                    std::vector<Tensor> &results);
};

} // namespace tssa::runtime

#endif // TSSA_RUNTIME_SESSION_H
