//===- te-fuzz.cpp - compare random programs with what is made of them ----===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Makes programs from seeds, evaluates each, and compares the results with those
/// after stage te. With `--compile` each kernel is also scheduled, compiled, and run
/// on the inputs that it had in the evaluation, and the program is evaluated once
/// more with its buffers planned. `--print` shows the program of a seed.
///
//===----------------------------------------------------------------------===//

#include "dialects/layout/Transforms/Passes.h"
#include "dialects/te/Transforms/Passes.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "tssa/Pipeline/VerifyKernel.h"
#include "tssa/Reference/Compare.h"
#include "tssa/Reference/Evaluator.h"
#include "tssa/Reference/RandomInputs.h"
#include "tssa/Reference/RandomProgram.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

using namespace ::tssa::reference;

static llvm::cl::OptionCategory category("te-fuzz");
static llvm::cl::opt<uint64_t> firstSeed("seed", llvm::cl::desc("seed of the first program"),
                                         llvm::cl::init(1), llvm::cl::cat(category));
static llvm::cl::opt<unsigned> count("count", llvm::cl::desc("number of programs"),
                                     llvm::cl::init(1), llvm::cl::cat(category));
static llvm::cl::opt<unsigned> steps("steps", llvm::cl::desc("tensor ops of a program"),
                                     llvm::cl::init(6), llvm::cl::cat(category));
static llvm::cl::opt<bool> compile("compile", llvm::cl::desc("compile and run every kernel"),
                                   llvm::cl::cat(category));
static llvm::cl::opt<std::string> cpu("mcpu", llvm::cl::desc("machine to compile for"),
                                      llvm::cl::init("native"), llvm::cl::cat(category));
static llvm::cl::opt<bool> print("print", llvm::cl::desc("print each program"),
                                 llvm::cl::cat(category));

/// The results of `module` on the inputs of `seed`.
static llvm::Expected<std::vector<HostTensor>> run(mlir::ModuleOp module,
                                                   RandomProgram &program, uint64_t seed,
                                                   const EvaluatorOptions &options = {}) {
  auto function = program.module->lookupSymbol<mlir::func::FuncOp>("main");
  llvm::Expected<std::vector<HostTensor>> inputs = makeRandomInputs(function, seed, program.sizes);
  if (!inputs)
    return inputs.takeError();
  return evaluate(module, "main", *inputs, options);
}

/// Compares what compiled kernels make of their inputs with their meaning.
class KernelChecker {
public:
  explicit KernelChecker(const tssa::cpu::Machine &machine) : machine(machine) {}

  llvm::Error check(const LaunchRecord &record) {
    std::unique_ptr<tssa::KernelRunner> &runner = runners[record.kernel];
    if (!runner) {
      auto created = tssa::KernelRunner::create(record.kernel, machine);
      if (!created)
        return created.takeError();
      runner = std::move(*created);
    }
    mlir::tssa::te::KernelOp kernel = record.kernel;
    std::string name = "kernel '" + kernel.getSymName().str() + "' ";
    llvm::Expected<std::vector<HostTensor>> got = runner->run(record.inputs, record.outputs);
    if (!got)
      return llvm::createStringError(name + toString(got.takeError()));
    for (auto [index, before, after] : llvm::enumerate(record.outputs, *got)) {
      Comparison comparison =
          compare(before, after, tssa::getPolicy(record, before));
      if (!comparison.agrees)
        return llvm::createStringError(name + "result " + std::to_string(index) + ": " +
                                       comparison.describe());
    }
    return llvm::Error::success();
  }

private:
  const tssa::cpu::Machine &machine;
  llvm::DenseMap<mlir::Operation *, std::unique_ptr<tssa::KernelRunner>> runners;
};

static llvm::Error compareResults(const RandomProgram &program,
                                  llvm::ArrayRef<HostTensor> expected,
                                  llvm::ArrayRef<HostTensor> got) {
  for (auto [index, before, after, error] :
       llvm::enumerate(expected, got, program.errors)) {
    Comparison comparison = compare(before, after, {error, error});
    if (!comparison.agrees)
      return llvm::createStringError("result " + std::to_string(index) + ": " +
                                     comparison.describe());
  }
  return llvm::Error::success();
}

static llvm::Error checkProgram(mlir::MLIRContext &context, const tssa::cpu::Machine &machine,
                                uint64_t seed) {
  RandomProgramOptions options;
  options.numSteps = steps;
  RandomProgram program = makeRandomProgram(context, seed, options);
  if (print) {
    for (auto &size : program.sizes)
      llvm::outs() << "// " << size.getKey() << " = " << size.getValue() << "\n";
    program.module->print(llvm::outs());
  }
  if (failed(mlir::verify(*program.module)))
    return llvm::createStringError("the program is not valid");
  llvm::Expected<std::vector<HostTensor>> expected = run(*program.module, program, seed);
  if (!expected)
    return expected.takeError();
  mlir::OwningOpRef<mlir::ModuleOp> changed = program.module->clone();
  mlir::PassManager manager(&context);
  mlir::tssa::te::buildTEStage(manager);
  if (compile)
    mlir::tssa::layout::buildLayoutStage(manager, {machine.vectorBytes / 4, 32});
  if (failed(manager.run(*changed)))
    return llvm::createStringError("a pass failed");
  KernelChecker checker(machine);
  EvaluatorOptions evaluation;
  if (compile)
    evaluation.onLaunch = [&](const LaunchRecord &record) { return checker.check(record); };
  llvm::Expected<std::vector<HostTensor>> got = run(*changed, program, seed, evaluation);
  if (!got)
    return got.takeError();
  if (llvm::Error error = compareResults(program, *expected, *got))
    return error;
  if (!compile)
    return llvm::Error::success();
  mlir::PassManager buffers(&context);
  buffers.addPass(mlir::tssa::te::createTEPlanBuffers());
  if (failed(buffers.run(*changed)))
    return llvm::createStringError("te-plan-buffers failed");
  llvm::Expected<std::vector<HostTensor>> planned = run(*changed, program, seed);
  if (!planned)
    return llvm::createStringError("on planned buffers: " + toString(planned.takeError()));
  if (llvm::Error error = compareResults(program, *expected, *planned))
    return llvm::createStringError("on planned buffers: " + toString(std::move(error)));
  return llvm::Error::success();
}

int main(int argc, char **argv) {
  llvm::cl::HideUnrelatedOptions(category);
  llvm::cl::ParseCommandLineOptions(argc, argv, "compare random te programs\n");
  mlir::DialectRegistry registry;
  tssa::cpu::registerTranslations(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  llvm::Expected<tssa::cpu::Machine> machine = tssa::cpu::resolveMachine(cpu);
  if (!machine) {
    llvm::errs() << toString(machine.takeError()) << "\n";
    return 2;
  }
  unsigned numFailed = 0;
  for (uint64_t seed = firstSeed; seed < firstSeed + count; ++seed)
    if (llvm::Error error = checkProgram(context, *machine, seed)) {
      ++numFailed;
      llvm::outs() << "seed " << seed << ": " << toString(std::move(error)) << "\n";
    }
  llvm::outs() << count - numFailed << " of " << count << " programs agree\n";
  return numFailed ? 1 : 0;
}
