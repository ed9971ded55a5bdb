//===- Passes.cpp - evaluation as passes ----------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Reference/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "tssa/Reference/Compare.h"
#include "tssa/Reference/Evaluator.h"
#include "tssa/Reference/RandomInputs.h"
#include "llvm/Support/raw_ostream.h"

namespace tssa::reference {
#define GEN_PASS_DEF_TEEVALUATE
#define GEN_PASS_DEF_TECHECKPIPELINE
#include "tssa/Reference/Passes.h.inc"
} // namespace tssa::reference

using namespace mlir;
using namespace ::tssa::reference;
using llvm::Expected;

/// Parses entries of the form NAME=SIZE.
static Expected<llvm::StringMap<int64_t>> parseSizes(ArrayRef<std::string> entries) {
  llvm::StringMap<int64_t> sizes;
  for (StringRef entry : entries) {
    auto [name, text] = entry.split('=');
    int64_t size;
    if (name.empty() || text.getAsInteger(10, size) || size < 0)
      return llvm::createStringError("expected NAME=SIZE, got '" + entry + "'");
    sizes[name] = size;
  }
  return sizes;
}

/// Returns random inputs as the options of an evaluation pass describe them.
template <typename PassT>
static Expected<std::vector<HostTensor>> makeInputs(ModuleOp module, PassT &pass) {
  auto function = module.lookupSymbol<func::FuncOp>(pass.function);
  if (!function)
    return llvm::createStringError("the module has no function '" + pass.function + "'");
  Expected<llvm::StringMap<int64_t>> sizes =
      parseSizes(SmallVector<std::string>(pass.sizes.begin(), pass.sizes.end()));
  if (!sizes)
    return sizes.takeError();
  return makeRandomInputs(function, pass.seed, *sizes, pass.defaultSize);
}

namespace {
struct TEEvaluatePass : ::tssa::reference::impl::TEEvaluateBase<TEEvaluatePass> {
  using TEEvaluateBase::defaultSize, TEEvaluateBase::function, TEEvaluateBase::seed,
      TEEvaluateBase::sizes;
  using TEEvaluateBase::TEEvaluateBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (llvm::Error error = evaluateAndPrint()) {
      getOperation().emitError() << toString(std::move(error));
      signalPassFailure();
    }
  }

  llvm::Error evaluateAndPrint() {
    Expected<std::vector<HostTensor>> inputs = makeInputs(getOperation(), *this);
    if (!inputs)
      return inputs.takeError();
    EvaluatorOptions options;
    options.wideSums = !asWritten;
    Expected<std::vector<HostTensor>> results =
        evaluate(getOperation(), function, *inputs, options);
    if (!results)
      return results.takeError();
    for (auto [index, result] : llvm::enumerate(*results)) {
      llvm::outs() << "result " << index << ": " << result.describeType() << " ";
      result.print(llvm::outs());
      llvm::outs() << "\n";
    }
    return llvm::Error::success();
  }
};

struct TECheckPipelinePass : ::tssa::reference::impl::TECheckPipelineBase<TECheckPipelinePass> {
  using TECheckPipelineBase::defaultSize, TECheckPipelineBase::function, TECheckPipelineBase::seed,
      TECheckPipelineBase::sizes;
  using TECheckPipelineBase::TECheckPipelineBase;

  TECheckPipelinePass(const TECheckPipelinePass &other) : TECheckPipelineBase(other) {}
  TECheckPipelinePass() = default;

  LogicalResult initialize(MLIRContext *) override { return parsePassPipeline(passes, pipeline); }
  void getDependentDialects(DialectRegistry &registry) const override {
    TECheckPipelineBase::getDependentDialects(registry);
    // MLIR asks before it calls `initialize`, which reports a pipeline that is wrong.
    OpPassManager requested(ModuleOp::getOperationName());
    if (succeeded(parsePassPipeline(passes, requested, llvm::nulls())))
      requested.getDependentDialects(registry);
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    OwningOpRef<ModuleOp> original = cast<ModuleOp>(module->clone());
    if (failed(runPipeline(pipeline, module)))
      return signalPassFailure();
    if (llvm::Error error = compareWith(*original)) {
      module.emitError() << toString(std::move(error));
      signalPassFailure();
    }
  }

  llvm::Error compareWith(ModuleOp original) {
    Expected<std::vector<HostTensor>> inputs = makeInputs(original, *this);
    if (!inputs)
      return inputs.takeError();
    Expected<std::vector<HostTensor>> expected = evaluate(original, function, *inputs);
    Expected<std::vector<HostTensor>> got = evaluate(getOperation(), function, *inputs);
    if (!expected && !got) {
      llvm::consumeError(expected.takeError());
      llvm::consumeError(got.takeError());
      return llvm::Error::success();
    }
    if (!expected || !got)
      return llvm::createStringError(
          !expected ? "failed before the passes only: " + toString(expected.takeError())
                    : "failed after the passes only: " + toString(got.takeError()));
    for (auto [index, before, after] : llvm::enumerate(*expected, *got)) {
      Comparison comparison = compare(before, after, {tolerance, 1e-30});
      if (!comparison.agrees)
        return llvm::createStringError("result " + std::to_string(index) +
                                       " changed: " + comparison.describe());
    }
    return llvm::Error::success();
  }

  OpPassManager pipeline = OpPassManager(ModuleOp::getOperationName());
};
} // namespace
