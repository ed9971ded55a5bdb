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
#include "tssa/Runtime/Tensor.h"
#include "tssa/Runtime/ThreadPool.h"

#include <map>

namespace tssa::runtime {

class DeviceProgram;
class LoadedCode;
struct DeviceChoice;

struct SessionOptions {
  /// Threads of a run, the caller among them; 0 is `getDefaultThreadCount()`.
  /// Sessions with equal numbers share their threads.
  unsigned threads = 0;
  bool pinThreads = false;
  VerifyWeights verifyWeights = VerifyWeights::Auto;
  /// Bytes one run may hold beside weights and the caller's tensors; 0: no limit.
  uint64_t memoryLimit = 0;
  /// The embedder's own threads instead of ours: `tssa_host::parallel_for` with
  /// `parallelForUser` first.
  void (*parallelFor)(void *user, int64_t n, int64_t grain, tssa_body body,
                      void *context) = nullptr;
  void *parallelForUser = nullptr;
  /// What to run on: "auto", "cpu", "cuda:<number>" or "cuda-emu". "auto" takes the
  /// first CUDA device that a variant of the program runs on, else the CPU, else the
  /// emulator.
  std::string device = "auto";
};

/// What a launch did, as far as the device counts: the emulator does.
struct LaunchCounters {
  uint64_t blocks = 0;
  uint64_t accesses = 0;           ///< to memory, of a thread each
  uint64_t globalAccesses = 0;     ///< of a warp each
  uint64_t globalTransactions = 0; ///< 32-byte sectors that these touch
  uint64_t sharedAccesses = 0;     ///< of a warp each
  uint64_t sharedConflicts = 0;    ///< cycles beyond the one that each needs at least
  uint64_t barriers = 0;           ///< of a block each
  uint64_t warpOperations = 0;     ///< shuffles, votes and the like, of a warp each
};

/// Whether a session could run the program on `device` of this machine, and on what:
/// "cpu", "cuda:0 (NVIDIA H200, sm_90)", "cuda-emu".
Status checkMachine(const Manifest &manifest, const std::string &device, std::string &name);

/// The target to compile for so that `device` runs the program: "" for "auto", which
/// takes any; for a CUDA device of this machine the latest that it runs.
Status findTarget(const std::string &device, std::string &target);

/// Time spent in one launch of the variant's table.
struct LaunchTime {
  uint64_t calls = 0;
  double seconds = 0;
  LaunchCounters counters; ///< all zero where the device does not count
};

struct RunOptions {
  /// Polled between kernels and in loops; the run stops when it turns true.
  const std::atomic<bool> *cancel = nullptr;
  double timeoutSeconds = 0; ///< 0: none
  /// When set: one entry per launch, to which this run's times are added.
  std::vector<LaunchTime> *profile = nullptr;
};

/// A tensor under the name of an input.
struct NamedTensor {
  std::string_view name;
  tssa_tensor tensor{};
};

/// An output that is wanted, in the caller's memory when `into` is given.
struct OutputRequest {
  std::string_view name;
  std::optional<tssa_tensor> into;
};

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
  GrownPool grown;

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
