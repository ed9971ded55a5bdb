//===- Session.h - a loaded program, ready to run ------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_RUNTIME_SESSION_H
#define TSSA_RUNTIME_SESSION_H

#include "tssa/Runtime/Artifact.h"
#include "tssa/Runtime/Tensor.h"
#include "tssa/Runtime/ThreadPool.h"

#include <map>

namespace tssa::runtime {

class LoadedCode;

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
};

/// Time spent in one launch of the manifest's table.
struct LaunchTime {
  uint64_t calls = 0;
  double seconds = 0;
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

/// Free memory of past runs, reused by later ones; at most `maxIdle` pieces.
class ArenaPool {
public:
  /// The smallest idle piece of at least `size` bytes, or a new one.
  bool acquire(uint64_t size, Buffer &buffer);
  void release(Buffer buffer);

private:
  static constexpr size_t maxIdle = 8;
  std::mutex mutex;
  std::vector<Buffer> idle; ///< ascending sizes
};

/// Immutable after load; `run` may be called from any number of threads at once.
class Session {
public:
  /// Reads and checks the artifact, then loads a private copy of its code. No
  /// byte of the file is executed before all hashes of code and manifest hold.
  static Status load(const std::string &path, const SessionOptions &options,
                     std::unique_ptr<Session> &session);
  /// Waits for runs in progress.
  ~Session();
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;

  const Manifest &getManifest() const { return artifact->getManifest(); }
  /// The one of the program's variants that this session runs.
  const Variant &getVariant() const { return getManifest().variants[variant]; }
  bool weightsVerified() const { return artifact->weightsVerified(); }
  unsigned getThreadCount() const { return pool ? pool->getThreadCount() : 0; }

  /// Runs the program. `results` gets a tensor per request, in their order; no
  /// request means every output. Outputs without `into` are new memory. Faults
  /// in the arguments are found before anything is written.
  Status run(const std::vector<NamedTensor> &inputs,
             const std::vector<OutputRequest> &requests,
             const RunOptions &options, std::vector<Tensor> &results);

  /// Checks the inputs as `run` does and tells the bytes its arena takes.
  Status planMemory(const std::vector<NamedTensor> &inputs,
                    int64_t &arenaBytes);

private:
  Session() = default;
  SessionOptions options;
  std::unique_ptr<Artifact> artifact;
  size_t variant = 0;
  std::unique_ptr<LoadedCode> code;
  std::shared_ptr<ThreadPool> pool;
  ArenaPool arenas;

  std::mutex mutex; ///< guards what follows
  std::map<std::vector<int64_t>, int64_t> plans;
  unsigned activeRuns = 0;
  std::condition_variable idle;

  static Status loadChecked(const std::string &path,
                            const SessionOptions &options,
                            std::unique_ptr<Session> &session);
  Status plan(const std::vector<int64_t> &sizes, int64_t &arenaBytes);
  Status runChecked(const std::vector<NamedTensor> &inputs,
                    const std::vector<OutputRequest> &requests,
                    const RunOptions &options, std::vector<Tensor> &results);
};

} // namespace tssa::runtime

#endif // TSSA_RUNTIME_SESSION_H
