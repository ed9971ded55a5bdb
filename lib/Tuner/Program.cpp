//===- Program.cpp - a candidate that was built ---------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"

using namespace tssa;
using namespace tssa::tuner;
using namespace tssa::reference;
namespace te = mlir::tssa::te;
using llvm::Error;
using llvm::Expected;

/// More copies do not fit into a batch of calls.
static constexpr int64_t maxCopies = 4096;

/// Returns which of the operands have how many copies, so that all copies take about `bytes`.
static InputCopies planCopies(llvm::ArrayRef<LaunchOperand> operands, int64_t bytes) {
  InputCopies copies;
  int64_t each = 0;
  for (auto [index, operand] : llvm::enumerate(operands))
    if (operand.isConstant) {
      copies.inputs.push_back(index);
      each += GuardedBuffer::getFootprint(operand.value.tensor->getNumBytes());
    }
  if (each > 0)
    copies.count = std::clamp(bytes / each, int64_t(1), maxCopies);
  return copies;
}

Expected<std::unique_ptr<Program>> Program::create(const Candidate &candidate,
                                                   const KernelObject &object, int64_t coldBytes) {
  auto runner = KernelRunner::load(object, KernelSignature::get(candidate.launch.kernel));
  if (!runner)
    return runner.takeError();
  std::vector<HostValue> inputs;
  for (const LaunchOperand &operand : candidate.operands)
    inputs.push_back(operand.value);
  Expected<KernelMemory> memory = KernelMemory::create(
      (*runner)->getTypes(), inputs, candidate.results, planCopies(candidate.operands, coldBytes));
  if (!memory)
    return memory.takeError();
  Expected<KernelExtent> extent = (*runner)->getExtent(*memory);
  if (!extent)
    return extent.takeError();
  return std::unique_ptr<Program>(
      new Program(std::move(*runner), std::move(inputs), std::move(*memory), *extent));
}

Expected<std::vector<HostTensor>> Program::run() {
  memory.clearResults();
  if (Error error = runner->runInHalves(memory))
    return error;
  return checkResults();
}

Expected<std::vector<HostTensor>> Program::checkResults() const {
  if (Error error = memory.check(inputs))
    return error;
  return memory.borrowResults();
}

void Program::call(runtime::ThreadPool &pool) {
  struct Context {
    const KernelRunner &runner;
    llvm::ArrayRef<uint64_t> slots;
  } context{*runner, memory.getSlots(copy)};
  copy = copy + 1 == memory.getNumCopies() ? 0 : copy + 1;
  auto body = [](void *data, int64_t begin, int64_t end) {
    auto &context = *static_cast<Context *>(data);
    context.runner.run(context.slots, begin, end);
  };
  pool.parallelFor(extent.count, extent.grain, body, &context);
}
