//===- te-fuzz.cpp - compare random programs with what is made of them ----===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Makes programs from seeds, evaluates each of them, and compares the results with those after
/// stage te. With `--compile`, each kernel is also scheduled, compiled, and run on the inputs that
/// it had in the evaluation, and the program is evaluated once more on planned buffers. With
/// `--run`, the whole program is compiled to an artifact for `--target`, which the runtime runs.
/// With `--stores=KIND`, random layouts are given to the tensors of the kernels before they are
/// scheduled: `reorder`, `split`, `fuse`, `pad`, `unfold`, `any` of them, points of the `template`,
/// or `illegal`, where a program may also be refused. `--print` prints the program of a seed. With
/// `--boxes`, members of kernels are computed at random loops, or refused. With `--references`,
/// programs have views and writes, and the two ways to remove references are
/// compared.
///
//===----------------------------------------------------------------------===//

#include "RandomBoxes.h"
#include "RandomProgram.h"
#include "RandomStores.h"
#include "dialects/layout/Transforms/Passes.h"
#include "dialects/te/Transforms/Passes.h"
#include "dialects/tssa/Transforms/Passes.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "tssa/Pipeline/VerifyArtifact.h"
#include "tssa/Pipeline/VerifyKernel.h"
#include "tssa/Reference/Compare.h"
#include "tssa/Reference/Evaluator.h"
#include "tssa/Reference/RandomInputs.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/raw_ostream.h"

#include <random>

using namespace ::tssa::reference;

namespace {
struct Options {
  uint64_t seed = 1;
  unsigned count = 1, steps = 6;
  bool compile = false, run = false, print = false, references = false, points = false,
       siblings = false, layers = false, rows = false, longSums = false, boxes = false;
  std::string cpu = "native", target = "cpu", stores;
  tssa::Transforms transforms;
};
} // namespace

/// lld is linked into this tool and resets LLVM's table of options, so they are copied.
static Options parseOptions(int argc, char **argv) {
  namespace cl = llvm::cl;
  cl::OptionCategory category("te-fuzz");
  cl::opt<uint64_t> seed("seed", cl::desc("seed of the first program"), cl::init(1),
                         cl::cat(category));
  cl::opt<unsigned> count("count", cl::desc("number of programs"), cl::init(1), cl::cat(category));
  cl::opt<unsigned> steps("steps", cl::desc("tensor ops of a program"), cl::init(6),
                          cl::cat(category));
  cl::opt<bool> compile("compile", cl::desc("compile and run every kernel"), cl::cat(category));
  cl::opt<bool> run("run", cl::desc("compile and run the whole program"), cl::cat(category));
  cl::opt<bool> print("print", cl::desc("print each program"), cl::cat(category));
  cl::opt<bool> references("references", cl::desc("programs with views, writes and control flow"),
                           cl::cat(category));
  cl::opt<bool> siblings("siblings",
                         cl::desc("programs that end with expressions of one body, concatenated"),
                         cl::cat(category));
  cl::opt<bool> rows("rows", cl::desc("programs that end with normalised rows of products"),
                     cl::cat(category));
  cl::opt<bool> longSums("long-sums",
                         cl::desc("programs that end with a reduction of a million elements"),
                         cl::cat(category));
  cl::opt<bool> layers("layers", cl::desc("programs that end with layers of a recurrent network"),
                       cl::cat(category));
  cl::opt<bool> points("points",
                       cl::desc("with --compile: loops that the draft model ranks anywhere"),
                       cl::cat(category));
  cl::opt<bool> boxes("boxes",
                      cl::desc("with --compile: expressions computed at random loops of others"),
                      cl::cat(category));
  cl::opt<std::string> cpu("cpu", cl::desc("machine to compile for"), cl::init("native"),
                           cl::cat(category));
  cl::opt<std::string> target("target", cl::desc("of --run: cpu, cuda:sm_NN or cuda-emu"),
                              cl::init("cpu"), cl::cat(category));
  cl::opt<std::string> stores(
      "stores",
      cl::desc("random layouts, with --compile or --run: reorder, split, fuse, "
               "pad, unfold, any, template or, with --compile, illegal"),
      cl::cat(category));
  std::string forced = // of which cl::desc keeps no copy
      "a transformation that happens wherever it is legal: " + tssa::Transforms::listNames();
  cl::opt<std::string> force("force", cl::desc(forced), cl::cat(category));
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "compare random te programs\n");
  Options options{seed,   count, steps,    compile, run, print,  references, points, siblings,
                  layers, rows,  longSums, boxes,   cpu, target, stores,     {}};
  if (!force.empty()) {
    tssa::Apply *transform = options.transforms.find(force);
    if (!transform) {
      llvm::errs() << "no transformation has the name '" << force << "'\n";
      exit(2);
    }
    *transform = tssa::Apply::Always;
  }
  for (cl::Option *option : std::initializer_list<cl::Option *>{
           &seed, &count, &steps, &compile, &run, &print, &references, &points, &siblings, &layers,
           &rows, &longSums, &boxes, &cpu, &target, &stores, &force})
    option->removeArgument();
  return options;
}

/// Returns the results of `module` on the random inputs of `seed`.
static llvm::Expected<std::vector<HostTensor>> run(mlir::ModuleOp module, RandomProgram &program,
                                                   uint64_t seed,
                                                   const EvaluatorOptions &options = {}) {
  auto function = program.module->lookupSymbol<mlir::func::FuncOp>("main");
  llvm::Expected<std::vector<HostTensor>> inputs = makeRandomInputs(function, seed, program.sizes);
  if (!inputs)
    return inputs.takeError();
  return evaluate(module, "main", *inputs, options);
}

/// Kernels with members at random loops.
struct BoxCounts {
  unsigned made = 0, refused = 0;
};

/// Compares the results of compiled kernels with the evaluator's.
class KernelChecker {
public:
  /// If some kernels have random `boxes`, one of them may be refused, and is not checked.
  KernelChecker(const tssa::cpu::Machine &machine, BoxCounts &boxes)
      : machine(machine), boxes(boxes) {}

  llvm::Error check(const LaunchRecord &record) {
    if (refused.contains(record.kernel))
      return llvm::Error::success();
    std::unique_ptr<tssa::KernelRunner> &runner = runners[record.kernel];
    if (!runner) {
      bool isRefused = false;
      mlir::ScopedDiagnosticHandler handler(
          record.kernel->getContext(), [&](mlir::Diagnostic &diagnostic) {
            for (mlir::Diagnostic &note : diagnostic.getNotes())
              isRefused |=
                  boxes.made > 0 && llvm::StringRef(note.str()).contains("layout.compute_at");
            return mlir::success(isRefused);
          });
      auto created = tssa::KernelRunner::create(record.kernel, machine);
      if (!created && isRefused) {
        refused.insert(record.kernel);
        ++boxes.refused;
        llvm::consumeError(created.takeError());
        return llvm::Error::success();
      }
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
      Comparison comparison = compare(before, after, tssa::getPolicy(record, before));
      if (!comparison.agrees)
        return llvm::createStringError(name + "result " + std::to_string(index) + ": " +
                                       comparison.describe());
    }
    return llvm::Error::success();
  }

private:
  const tssa::cpu::Machine &machine;
  BoxCounts &boxes;
  llvm::DenseSet<mlir::Operation *> refused;
  llvm::DenseMap<mlir::Operation *, std::unique_ptr<tssa::KernelRunner>> runners;
};

static llvm::Error compareResults(const RandomProgram &program, llvm::ArrayRef<HostTensor> expected,
                                  llvm::ArrayRef<HostTensor> got) {
  for (auto [index, before, after, error] : llvm::enumerate(expected, got, program.errors)) {
    Comparison comparison = compare(before, after, {error, error});
    if (!comparison.agrees)
      return llvm::createStringError("result " + std::to_string(index) + ": " +
                                     comparison.describe());
  }
  return llvm::Error::success();
}

/// Compiles a copy of the program and compares what its artifact returns.
static llvm::Error checkArtifact(RandomProgram &program, const tssa::cpu::Machine &machine,
                                 const Options &fuzz, uint64_t seed,
                                 llvm::ArrayRef<HostTensor> expected) {
  llvm::Expected<tssa::Target> target = tssa::parseTarget(fuzz.target);
  if (!target)
    return target.takeError();
  mlir::OwningOpRef<mlir::ModuleOp> module = program.module->clone();
  llvm::SmallString<128> path;
  if (std::error_code error = llvm::sys::fs::createTemporaryFile("te-fuzz", "so", path))
    return llvm::errorCodeToError(error);
  llvm::FileRemover remover(path);
  tssa::CompileOptions options;
  options.variants = {{*target, machine}};
  options.transforms = fuzz.transforms;
  options.afterStage = [&](const tssa::Stage &stage, mlir::ModuleOp stageModule,
                           const tssa::VariantTarget &) {
    if (stage.name == "te" && !fuzz.stores.empty())
      addRandomStores(stageModule, seed, fuzz.stores);
    return mlir::success();
  };
  if (llvm::Error error = tssa::compileToArtifact(*module, options, path))
    return error;
  auto function = program.module->lookupSymbol<mlir::func::FuncOp>("main");
  llvm::Expected<std::vector<HostTensor>> inputs = makeRandomInputs(function, seed, program.sizes);
  if (!inputs)
    return inputs.takeError();
  llvm::StringRef device = target->kind == tssa::Target::Emulator ? "cuda-emu" : "auto";
  llvm::Expected<std::vector<HostTensor>> got = tssa::runArtifact(path, device, *inputs, expected);
  if (!got)
    return got.takeError();
  if (llvm::Error error = compareResults(program, expected, *got))
    return llvm::createStringError("the artifact's " + toString(std::move(error)));
  return llvm::Error::success();
}

/// Evaluates the program after a pipeline of passes.
static llvm::Error checkPipeline(mlir::MLIRContext &context, RandomProgram &program,
                                 llvm::StringRef pipeline, uint64_t seed,
                                 llvm::ArrayRef<HostTensor> expected) {
  mlir::OwningOpRef<mlir::ModuleOp> changed = program.module->clone();
  mlir::PassManager manager(&context);
  if (failed(mlir::parsePassPipeline(pipeline, manager)) || failed(manager.run(*changed)))
    return llvm::createStringError("'" + pipeline + "' failed");
  llvm::Expected<std::vector<HostTensor>> got = run(*changed, program, seed);
  llvm::Error error = got ? compareResults(program, expected, *got) : got.takeError();
  if (error)
    return llvm::createStringError("after '" + pipeline + "': " + toString(std::move(error)));
  return llvm::Error::success();
}

/// The two ways to remove references: versions of storages, and the passes of the paper.
static llvm::Error checkReferences(mlir::MLIRContext &context, RandomProgram &program,
                                   uint64_t seed, llvm::ArrayRef<HostTensor> expected) {
  for (llvm::StringRef pipeline :
       {"func.func(tssa-resolve-refs)", "func.func(tssa-resolve-refs,tssa-functionalize)",
        "tssa-stage",
        "func.func(tssa-resolve-refs,tssa-rewrite-mutation,tssa-propagate-blocks,tssa-rename,"
        "tssa-erase-versions,canonicalize)"})
    if (llvm::Error error = checkPipeline(context, program, pipeline, seed, expected))
      return error;
  return llvm::Error::success();
}

/// Runs stage layout. Returns false if it has refused a store that may be illegal.
static llvm::Expected<bool> schedule(mlir::MLIRContext &context, mlir::ModuleOp module,
                                     const tssa::cpu::Machine &machine, const Options &options,
                                     uint64_t seed, BoxCounts &boxes) {
  if (!options.stores.empty())
    addRandomStores(module, seed, options.stores);
  mlir::PassManager manager(&context);
  // Each expression takes the point of this rank, modulo their number.
  unsigned point = options.points ? std::mt19937_64(seed)() % 1000 : 0;
  mlir::tssa::layout::buildLayoutStage(manager, machine.model, point);
  bool mayFail = options.stores == "illegal", hasStoreError = false;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    hasStoreError |= llvm::StringRef(diagnostic.str()).contains("layout.store");
    return mlir::success(mayFail);
  });
  if (succeeded(manager.run(module))) {
    if (options.boxes)
      boxes.made += addRandomBoxes(module, seed);
    return true;
  }
  if (mayFail && hasStoreError)
    return false;
  return llvm::createStringError("stage layout failed");
}

static llvm::Error checkProgram(mlir::MLIRContext &context, const tssa::cpu::Machine &machine,
                                const Options &options, uint64_t seed, BoxCounts &boxes) {
  RandomProgramOptions programOptions{options.steps,  4096,         options.siblings,
                                      options.layers, options.rows, options.longSums};
  RandomProgram program = options.references
                              ? makeRandomReferenceProgram(context, seed, programOptions)
                              : makeRandomProgram(context, seed, programOptions);
  if (options.print) {
    for (auto &size : program.sizes)
      llvm::outs() << "// " << size.getKey() << " = " << size.getValue() << "\n";
    program.module->print(llvm::outs());
    llvm::outs().flush();
  }
  if (failed(mlir::verify(*program.module)))
    return llvm::createStringError("the program is not valid");
  llvm::Expected<std::vector<HostTensor>> expected = run(*program.module, program, seed);
  if (!expected)
    return expected.takeError();
  program.errors.resize(expected->size());
  if (options.references)
    if (llvm::Error error = checkReferences(context, program, seed, *expected))
      return error;
  if (options.run)
    if (llvm::Error error = checkArtifact(program, machine, options, seed, *expected))
      return error;
  mlir::OwningOpRef<mlir::ModuleOp> changed = program.module->clone();
  mlir::PassManager manager(&context);
  mlir::tssa::refs::buildFunctionalStage(manager, options.transforms);
  mlir::tssa::te::buildTEStage(manager, /*merges=*/true, options.transforms);
  if (failed(manager.run(*changed)))
    return llvm::createStringError("a pass failed");
  if (options.compile) {
    llvm::Expected<bool> scheduled = schedule(context, *changed, machine, options, seed, boxes);
    if (!scheduled)
      return scheduled.takeError();
    if (!*scheduled)
      return llvm::Error::success();
  }
  KernelChecker checker(machine, boxes);
  EvaluatorOptions evaluation;
  if (options.compile)
    evaluation.onLaunch = [&](const LaunchRecord &record) { return checker.check(record); };
  llvm::Expected<std::vector<HostTensor>> got = run(*changed, program, seed, evaluation);
  if (!got)
    return got.takeError();
  if (llvm::Error error = compareResults(program, *expected, *got))
    return error;
  if (!options.compile)
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
  Options options = parseOptions(argc, argv);
  mlir::DialectRegistry registry;
  tssa::registerAllDialects(registry);
  tssa::registerAllPasses();
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  llvm::Expected<tssa::cpu::Machine> machine = tssa::cpu::resolveMachine(options.cpu);
  if (!machine) {
    llvm::errs() << toString(machine.takeError()) << "\n";
    return 2;
  }
  unsigned numFailed = 0;
  BoxCounts boxes;
  for (uint64_t seed = options.seed; seed < options.seed + options.count; ++seed)
    if (llvm::Error error = checkProgram(context, *machine, options, seed, boxes)) {
      ++numFailed;
      llvm::outs() << "seed " << seed << ": " << toString(std::move(error)) << "\n";
    }
  if (options.boxes)
    llvm::outs() << boxes.made << " kernels have boxes, of which " << boxes.refused
                 << " are refused\n";
  llvm::outs() << options.count - numFailed << " of " << options.count << " programs agree\n";
  return numFailed ? 1 : 0;
}
