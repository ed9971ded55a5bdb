//===- VerifyStages.cpp - find the first stage that is wrong --------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Pipeline/VerifyStages.h"
#include "dialects/te/IR/Program.h"
#include "dialects/te/IR/Rounding.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "tssa/Pipeline/VerifyArtifact.h"
#include "tssa/Pipeline/VerifyKernel.h"
#include "tssa/Reference/RandomInputs.h"
#include "tssa/Runtime/Artifact.h"

#include <cmath>

using namespace tssa;
using namespace tssa::reference;
namespace te = mlir::tssa::te;
using llvm::Error;
using llvm::Expected;

/// Returns the error bound for results of programs. Stages may change rounding, since they sum in
/// another order. `rounds`: the program rounds values to few bits, which a difference in the last
/// bit of a sum may change.
static ComparePolicy getProgramPolicy(ElementKind kind, bool rounds) {
  if (!isFloat(kind))
    return ComparePolicy::exact();
  bool isCoarse = rounds || kind == ElementKind::F16 || kind == ElementKind::BF16;
  return {isCoarse ? 5e-2 : 1e-3, 1e-6};
}

/// Returns whether `module` rounds floats to 16 bits or to tf32.
static bool roundsValues(mlir::ModuleOp module) {
  auto result = module.walk([](mlir::Operation *op) {
    auto truncation = llvm::dyn_cast<mlir::arith::TruncFOp>(op);
    bool rounds =
        te::isRoundToTF32(op) || (truncation && truncation.getType().getIntOrFloatBitWidth() == 16);
    return rounds ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
  });
  return result.wasInterrupted();
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

Error StageVerifier::start(mlir::ModuleOp module) {
  rounds = roundsValues(module);
  auto main = module.lookupSymbol<mlir::func::FuncOp>("main");
  for (unsigned i = 0; i < main.getNumResults(); ++i)
    outputNames.push_back(te::getName(te::getResultPort(main, i), llvm::Twine(i)));
  // Random integers may be counts or indices that are too large for the sizes, so a few seeds are
  // tried.
  constexpr unsigned mostSeeds = 8;
  for (unsigned attempt = 1;; ++attempt) {
    Expected<Tensors> made =
        makeRandomInputs(main, options.seed + attempt - 1, options.sizes, options.defaultSize);
    if (!made)
      return made.takeError();
    inputs = std::move(*made);
    Expected<Tensors> results = evaluate(module, nullptr);
    if (results) {
      expected = std::move(*results);
      return Error::success();
    }
    std::string reason = toString(results.takeError());
    if (attempt == mostSeeds)
      return llvm::createStringError("the model as imported cannot be run on random inputs: " +
                                     reason);
  }
}

Expected<StageVerifier::Tensors> StageVerifier::evaluate(mlir::ModuleOp module,
                                                         std::vector<Launch> *launches) {
  EvaluatorOptions evaluation;
  if (launches)
    evaluation.onLaunch = [&](const LaunchRecord &record) {
      te::LaunchOp launch = record.launch;
      te::KernelOp kernel = record.kernel;
      Launch &kept = launches->emplace_back();
      kept.kernel = kernel.getSymName().str();
      kept.nodes = describeLocation(launch.getLoc());
      kept.inputs.assign(record.inputs.begin(), record.inputs.end());
      kept.outputs.assign(record.outputs.begin(), record.outputs.end());
      for (const HostTensor &output : record.outputs)
        kept.policies.push_back(getPolicy(record, output));
      return Error::success();
    };
  return reference::evaluate(module, "main", inputs, evaluation);
}

Error StageVerifier::evaluateNarrow() {
  if (!narrow.empty())
    return Error::success();
  EvaluatorOptions evaluation;
  evaluation.wideSums = false;
  Expected<Tensors> results = reference::evaluate(*imported, "main", inputs, evaluation);
  if (!results)
    return results.takeError();
  narrow = std::move(*results);
  return Error::success();
}

std::string StageVerifier::compareResults(llvm::ArrayRef<HostTensor> got) {
  if (got.size() != expected.size())
    return "expected " + std::to_string(expected.size()) + " results, got " +
           std::to_string(got.size());
  for (auto [name, before, after] : llvm::zip_equal(outputNames, expected, got)) {
    ComparePolicy policy = getProgramPolicy(before.getKind(), rounds);
    if (compare(before, after, policy).agrees)
      continue;
    // If the program amplifies rounding, larger differences are correct.
    if (Error error = evaluateNarrow())
      return toString(std::move(error));
    policy = allowRounding(policy, before, narrow[&before - expected.data()]);
    Comparison comparison = compare(before, after, policy);
    if (!comparison.agrees)
      return "result '" + name + "': " + comparison.describe();
  }
  return "";
}

static Error makeReport(llvm::StringRef stage, llvm::StringRef what, llvm::StringRef pass,
                        llvm::StringRef kernel) {
  std::string text = "stage " + stage.str() + " is the first wrong one: " + what.str();
  if (!pass.empty())
    text += "\n  first wrong pass: " + pass.str();
  if (!kernel.empty())
    text += "\n  first wrong kernel: " + kernel.str();
  return llvm::createStringError(text);
}

Error StageVerifier::checkProgram(const Stage &stage, mlir::ModuleOp module) {
  std::vector<Launch> launches;
  Expected<Tensors> results = evaluate(module, &launches);
  std::string difference = results ? compareResults(*results) : toString(results.takeError());
  if (!difference.empty())
    return makeReport(stage.name, difference, findPass(stage), findKernel(launches));
  previousLaunches = std::move(launches);
  for (auto kernel : module.getOps<te::KernelOp>())
    signatures[kernel.getSymName().str()] = KernelSignature::get(kernel);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Blame
//===----------------------------------------------------------------------===//

std::string StageVerifier::describe(const Launch &launch) {
  return "'" + launch.kernel + "' of " + launch.nodes;
}

namespace {
/// Checks after each pass whether the module is still right.
struct PassWatcher : mlir::PassInstrumentation {
  PassWatcher(std::function<bool(mlir::ModuleOp)> isRight, std::string &culprit)
      : isRight(std::move(isRight)), culprit(culprit) {}

  void runAfterPass(mlir::Pass *pass, mlir::Operation *op) override {
    auto module = llvm::dyn_cast<mlir::ModuleOp>(op);
    if (!module)
      module = op->getParentOfType<mlir::ModuleOp>();
    if (culprit.empty() && module && !isRight(module))
      culprit = pass->getArgument().empty() ? pass->getName().str() : pass->getArgument().str();
  }

  std::function<bool(mlir::ModuleOp)> isRight;
  std::string &culprit;
};
} // namespace

std::string StageVerifier::findPass(const Stage &stage) {
  mlir::OwningOpRef<mlir::ModuleOp> module = previous->clone();
  std::string culprit;
  mlir::PassManager manager(module->getContext());
  stage.build(manager, StageContext{machine, target, cuda::getDevice(target.arch).model});
  auto isRight = [&](mlir::ModuleOp changed) {
    Expected<Tensors> results = evaluate(changed, nullptr);
    if (results)
      return compareResults(*results).empty();
    llvm::consumeError(results.takeError());
    return false;
  };
  manager.addInstrumentation(std::make_unique<PassWatcher>(isRight, culprit));
  if (failed(manager.run(*module)) && culprit.empty())
    return "";
  return culprit;
}

/// Whether both tensors hold the same elements, up to the order of the dims.
static bool mayBeTransposed(const HostTensor &a, const HostTensor &b, const ComparePolicy &policy) {
  if (a.getKind() != b.getKind() || a.getNumElements() != b.getNumElements())
    return false;
  auto sorted = [](const HostTensor &tensor) {
    std::vector<double> values;
    for (int64_t i = 0; i < tensor.getNumElements(); ++i)
      values.push_back(isFloat(tensor.getKind()) ? tensor.get(i).f
                                                 : static_cast<double>(tensor.get(i).i));
    llvm::sort(values);
    return values;
  };
  std::vector<double> left = sorted(a), right = sorted(b);
  double largest = left.empty() ? 0 : std::max(std::fabs(left.front()), std::fabs(left.back()));
  double allowed = policy.absolute + policy.relative * largest;
  for (auto [x, y] : llvm::zip_equal(left, right))
    if (!(std::fabs(x - y) <= allowed) && !(x != x && y != y))
      return false;
  return true;
}

std::string StageVerifier::findKernel(llvm::ArrayRef<Launch> launches) {
  std::vector<HostTensor> known;
  EvaluatorOptions evaluation;
  evaluation.onTensors = [&](mlir::Operation *, llvm::ArrayRef<HostTensor> tensors) {
    known.insert(known.end(), tensors.begin(), tensors.end());
  };
  if (auto results = reference::evaluate(*previous, "main", inputs, evaluation); !results)
    llvm::consumeError(results.takeError());
  auto isKnown = [&](const HostTensor &output, bool transposed) {
    ComparePolicy policy = getProgramPolicy(output.getKind(), rounds);
    return llvm::any_of(known, [&](const HostTensor &tensor) {
      return transposed ? mayBeTransposed(tensor, output, policy)
                        : compare(tensor, output, policy).agrees;
    });
  };
  // A stage may store a tensor with its dims in another order. So first look for an output that is
  // not equal to any known tensor, whatever the order of its dims.
  for (bool transposed : {true, false})
    for (const Launch &launch : launches)
      for (const HostTensor &output : launch.outputs)
        if (!isKnown(output, transposed))
          return describe(launch);
  return "";
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Describes the first launch on planned memory whose inputs differ from those of the same launch
/// before planning; empty if there is none.
std::string StageVerifier::findFirstDifference(llvm::ArrayRef<Launch> before,
                                               llvm::ArrayRef<Launch> after) {
  for (auto [expected, got] : llvm::zip(before, after)) {
    std::string kernel = describe(got);
    if (expected.kernel != got.kernel)
      return kernel + " runs where '" + expected.kernel + "' should";
    for (auto [index, left, right] : llvm::enumerate(expected.inputs, got.inputs)) {
      if (!left.tensor || !right.tensor)
        continue;
      Comparison comparison = compare(*left.tensor, *right.tensor, ComparePolicy::exact());
      if (!comparison.agrees)
        return kernel + ", whose parameter " + std::to_string(index) +
               " differs from its value before planning: " + comparison.describe();
    }
  }
  return "";
}

Error StageVerifier::checkMemory(mlir::ModuleOp module) {
  std::vector<Launch> launches;
  Expected<Tensors> results = evaluate(module, &launches);
  std::string difference = results ? compareResults(*results) : toString(results.takeError());
  if (difference.empty())
    return Error::success();
  std::string kernel = findFirstDifference(previousLaunches, launches);
  if (kernel.empty() && launches.size() < previousLaunches.size())
    kernel = describe(previousLaunches[launches.size()]) + ", which was next to run";
  return makeReport("buffers", difference, "", kernel);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

ComparePolicy StageVerifier::getWidePolicy(const Launch &launch, unsigned index) {
  EvaluatorOptions evaluation;
  evaluation.wideSums = false;
  auto kernel = previous->lookupSymbol<te::KernelOp>(launch.kernel);
  Expected<Tensors> results = evaluateKernel(kernel, launch.inputs, evaluation);
  if (!results) {
    llvm::consumeError(results.takeError());
    return launch.policies[index];
  }
  return allowRounding(launch.policies[index], launch.outputs[index], (*results)[index]);
}

Error StageVerifier::checkKernel(mlir::ModuleOp module, llvm::StringRef name,
                                 llvm::ArrayRef<Launch> launches) {
  auto report = [&](const std::string &what) {
    return makeReport("loops", what, "", describe(launches.front()));
  };
  auto runner = KernelRunner::createFromLoops(module, name, signatures[name.str()], machine);
  if (!runner)
    return report(toString(runner.takeError()));
  ++numKernels;
  for (const Launch &launch : launches) {
    Expected<Tensors> got = (*runner)->run(launch.inputs, launch.outputs);
    if (!got)
      return report(toString(got.takeError()));
    for (auto [index, before, after, policy] :
         llvm::enumerate(launch.outputs, *got, launch.policies)) {
      if (compare(before, after, policy).agrees)
        continue;
      Comparison comparison = compare(before, after, getWidePolicy(launch, index));
      if (!comparison.agrees)
        return report("result " + std::to_string(index) +
                      " of the kernel: " + comparison.describe());
    }
  }
  return Error::success();
}

Error StageVerifier::checkKernels(mlir::ModuleOp module) {
  runtime::Status status =
      runtime::checkCPU("code", machine.cpu, cpu::getNeededFeatures(module, machine));
  if (!status.ok()) {
    notRun = status.message;
    return Error::success();
  }
  // Kernels are checked in the order of their first launches.
  std::vector<std::string> names;
  std::map<std::string, std::vector<Launch>> byKernel;
  for (const Launch &launch : previousLaunches) {
    std::vector<Launch> &kept = byKernel[launch.kernel];
    if (kept.empty())
      names.push_back(launch.kernel);
    if (kept.size() < options.launchesPerKernel)
      kept.push_back(launch);
  }
  for (auto [done, name] : llvm::enumerate(names)) {
    show("loops", done, names.size());
    if (Error error = checkKernel(module, name, byKernel[name]))
      return error;
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

void StageVerifier::show(llvm::StringRef what, size_t done, size_t kernels) const {
  if (options.progress)
    options.progress({"verify " + what.str(), done, kernels});
}

Error StageVerifier::check(const Stage &stage, mlir::ModuleOp module) {
  show(stage.name);
  // Kernels of a device run only in an artifact.
  if (target.isDevice() && (stage.name == "loops" || stage.name == "target"))
    return Error::success();
  ++numStages;
  if (stage.name == "import") {
    imported = module.clone();
    if (Error error = start(module))
      return error;
  } else if (stage.name == "buffers") {
    return checkMemory(module);
  } else if (stage.name == "loops") {
    return checkKernels(module);
  } else if (stage.name == "target") {
    return Error::success(); // checkKernels and checkArtifact run the code of this stage
  } else if (Error error = checkProgram(stage, module)) {
    return error;
  }
  previous = module.clone();
  return Error::success();
}

Error StageVerifier::checkArtifact(const std::string &path) {
  if (target.kind == Target::CUDA || !notRun.empty())
    return Error::success();
  show("artifact");
  Expected<Tensors> results = runArtifact(path, target.getName(), inputs, expected);
  std::string difference = results ? compareResults(*results) : toString(results.takeError());
  if (difference.empty())
    return Error::success();
  if (target.isDevice())
    return makeReport("loops or target", difference, "", "");
  return makeReport("target", difference + "; every kernel alone is right", "", "");
}

std::string StageVerifier::summarize() const {
  std::string stages = std::to_string(numStages) + " stages";
  if (target.kind == Target::CUDA)
    return stages + " agree with the model; --target=cuda-emu runs the kernels as well";
  if (target.kind == Target::Emulator)
    return stages + " and the emulated program agree with the model";
  if (!notRun.empty())
    return stages + " agree with the model; machine code was not run: " + notRun;
  return stages + " and " + std::to_string(numKernels) + " kernels agree with the model";
}
