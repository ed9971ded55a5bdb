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
struct DeviceChoice;

/// Immutable after load; `run` may be called from any number of threads at once.
class Session {
public:
  /// Reads and checks the artifact, then loads a private copy of its code. No
  /// byte of the file is executed before all hashes of code and manifest hold.
  static Status load(const std::string &path, const SessionOptions &options,
                     std::unique_ptr<Session> &session);
  /// As `close`.
  ~Session();
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;

  const Manifest &getManifest() const { return artifact->getManifest(); }
  /// The one of the program's variants that this session runs.
  const Variant &getVariant() const { return getManifest().variants[variant]; }
  /// "cpu", "cuda:0 (NVIDIA H200, sm_90)" or "cuda-emu".
  const std::string &getDeviceName() const { return deviceName; }
  bool weightsVerified() const { return artifact->weightsVerified(); }
  unsigned getThreadCount() const { return pool ? pool->getThreadCount() : 0; }

  /// Runs the program. `results` gets a tensor per request, in their order; no
  /// request means every output. Outputs without `into` are new memory. Faults
  /// in the arguments are found before anything is written.
  Status run(const std::vector<NamedTensor> &inputs, const std::vector<OutputRequest> &requests,
             const RunOptions &options, std::vector<Tensor> &results);

  /// Checks the inputs as `run` does and tells the bytes its arena takes.
  Status planMemory(const std::vector<NamedTensor> &inputs, int64_t &arenaBytes);

  /// Waits for runs in progress, then gives back code, weights and memory. Runs that
  /// begin later are refused. May be called from several threads, and again.
  void close();
  /// Runs in progress at some time during the call.
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

  unsigned forks = countForks(); ///< of this process at load

  std::mutex mutex; ///< guards what follows
  bool closed = false;
  std::map<std::vector<int64_t>, int64_t> plans;
  unsigned activeRuns = 0;
  std::condition_variable idle;

  static Status loadChecked(const std::string &path, const SessionOptions &options,
                            std::unique_ptr<Session> &session);
  Status loadVariant(const std::string &device);
  Status loadProgram(const DeviceChoice &choice);
  /// Admits a run, or says why not; `leave` ends it.
  Status enter();
  void leave();
  template <typename Work> Status guard(Work work);
  Status plan(const std::vector<int64_t> &sizes, int64_t &arenaBytes);
  Status runChecked(const std::vector<NamedTensor> &inputs,
                    const std::vector<OutputRequest> &requests, const RunOptions &options,
                    std::vector<Tensor> &results);
};

} // namespace tssa::runtime

#endif // TSSA_RUNTIME_SESSION_H
