//===- Bench.h - measures candidates of one kernel --------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Checks and times candidates of one kernel, in this process. A candidate is a module after stage
/// layout: kernels with schedules, and a function @main that launches them. Errors are values. A
/// candidate whose code crashes or never ends takes the process with it.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_TUNER_BENCH_H
#define TSSA_TUNER_BENCH_H

#include "mlir/IR/BuiltinOps.h"
#include "tssa/Pipeline/VerifyKernel.h"
#include "tssa/Tuner/Outcome.h"

#include <functional>

namespace tssa::runtime {
class ThreadPool;
}

namespace tssa::tuner {

class BatchTimer;
class Canary;
class Program;
class ReferenceResults;
struct Candidate;

struct BenchOptions {
  /// How many threads run the kernel, at least 1.
  unsigned threads = 1;
  /// Of the inputs, and of the elements that are compared with the evaluator.
  uint64_t seed = 1;
  /// Each call reads another copy of the constants, so that they come from where they are in a
  /// model with this many bytes of weights. The copies have this many bytes together, but at most
  /// twice the size of the last-level cache, and 256 MiB. With 0 there is one copy.
  uint64_t rotatedBytes = 0;
  /// The largest number of bytes of all buffers of a candidate, without the copies of constants.
  uint64_t memoryLimit = uint64_t(4) << 30;
  /// The largest number of elements of each result that are compared with the evaluator.
  unsigned maxElements = 4096;
  /// Is called when the code of a candidate exists and will be run; may be empty.
  std::function<void()> onBuilt;
};

/// A candidate and the code of its kernel.
struct BuiltCandidate {
  mlir::ModuleOp module;
  const KernelObject &object;
};

class Bench {
public:
  /// Compiles `kernel` of a candidate. Calls `afterLoops`, unless it is null, with the module
  /// between the stages loops and target, for tests. Fails with what the passes say.
  static llvm::Expected<KernelObject>
  build(mlir::ModuleOp candidate, llvm::StringRef kernel, const cpu::Machine &machine,
        llvm::function_ref<void(mlir::ModuleOp)> afterLoops = nullptr);

  /// Prepares for candidates of `kernel`, which `defaultCandidate` launches once. Makes random
  /// inputs for @main, evaluates the operands of the launch, and runs the default, whose results
  /// are the reference. Fails if the kernel cannot be measured alone, and if the default does not
  /// agree with the evaluator.
  static llvm::Expected<std::unique_ptr<Bench>> create(const BuiltCandidate &defaultCandidate,
                                                       llvm::StringRef kernel,
                                                       const cpu::Machine &machine,
                                                       const BenchOptions &options);
  ~Bench();

  /// Checks and times a candidate. The operands of its launch must be those of the default, except
  /// for the values and types of constants. If its time is far above `bestSeconds`, it is timed
  /// less exactly.
  Outcome measure(const BuiltCandidate &candidate,
                  std::optional<double> bestSeconds = std::nullopt);

  /// Checks all candidates, then times one batch of calls of each in turns, `rounds` times and in
  /// alternating order. Their memory exists at the same time.
  std::vector<Outcome> compareInTurns(llvm::ArrayRef<BuiltCandidate> candidates, unsigned rounds);

private:
  Bench(llvm::StringRef kernel, const cpu::Machine &machine, const BenchOptions &options);

  llvm::Expected<std::unique_ptr<Program>> load(const Candidate &candidate,
                                                const KernelObject &object) const;
  llvm::Error prepareReference(const BuiltCandidate &given);
  /// Loads and checks a candidate. Returns null if that fails, with the reason in `outcome`.
  std::unique_ptr<Program> prepare(const BuiltCandidate &given, Outcome &outcome) const;
  /// Writes what the timer measured to `outcome`, after a check of the results of one more call.
  void conclude(Program &program, const BatchTimer &timer, Outcome &outcome) const;

  std::string kernel;
  cpu::Machine machine;
  BenchOptions options;
  std::shared_ptr<runtime::ThreadPool> pool;
  std::unique_ptr<Canary> canary;
  /// The default. Its module need not exist any more, so constants have no values.
  std::unique_ptr<Candidate> reference;
  std::unique_ptr<ReferenceResults> results;
};

} // namespace tssa::tuner

#endif // TSSA_TUNER_BENCH_H
