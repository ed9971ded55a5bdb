//===- Program.h - a candidate that was built -------------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_TUNER_PROGRAM_H
#define LIB_TUNER_PROGRAM_H

#include "KernelLaunch.h"
#include "tssa/Pipeline/VerifyKernel.h"
#include "tssa/Runtime/ThreadPool.h"

namespace tssa::tuner {

/// A kernel in machine code, with the memory on which it runs.
class Program {
public:
  /// Loads the code of a candidate whose operands have values. Its module must exist as long as
  /// the program does. Calls rotate through copies of the constants, of about `coldBytes` bytes in
  /// total but at least one.
  static llvm::Expected<std::unique_ptr<Program>>
  create(const Candidate &candidate, const KernelObject &object, int64_t coldBytes);

  llvm::ArrayRef<reference::HostValue> getInputs() const { return inputs; }
  /// Runs the kernel once, in two parts, on results that hold garbage. Fails if it writes where it
  /// may not. Returns the results, on the program's bytes.
  llvm::Expected<std::vector<reference::HostTensor>> run();
  /// Returns the results of the last call, with the checks of `run`.
  llvm::Expected<std::vector<reference::HostTensor>> checkResults() const;
  /// Fills the results with garbage.
  void clearResults() { memory.clearResults(); }
  /// Runs the kernel once as the runtime does, with the next copy of the constants.
  void call(runtime::ThreadPool &pool);

private:
  Program(std::unique_ptr<KernelRunner> runner, std::vector<reference::HostValue> inputs,
          KernelMemory memory, KernelExtent extent)
      : runner(std::move(runner)), inputs(std::move(inputs)), memory(std::move(memory)),
        extent(extent) {}

  std::unique_ptr<KernelRunner> runner;
  std::vector<reference::HostValue> inputs;
  KernelMemory memory;
  KernelExtent extent;
  unsigned copy = 0;
};

} // namespace tssa::tuner

#endif // LIB_TUNER_PROGRAM_H
