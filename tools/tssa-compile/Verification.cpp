//===- Verification.cpp - implements --verify-each-stage ------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verification.h"
#include "tssa/Pipeline/VerifyFaults.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tssa::compile {

static VerifyOptions getVerifyOptions(const Options &options, ProgressFunction progress) {
  VerifyOptions verify;
  verify.progress = std::move(progress);
  verify.sizes = options.import.dims;
  return verify;
}

void Verification::attach(CompileOptions &compile) {
  progress = compile.progress;
  if (options.verifyEachStage || !options.injectFault.empty())
    compile.afterStage = [this](const Stage &stage, mlir::ModuleOp module,
                                const VariantTarget &variant) {
      return afterStage(stage, module, variant);
    };
}

int Verification::report(Error error, int code) {
  errs() << options.input << ": error: " << toString(std::move(error)) << '\n';
  exitCode = code;
  return code;
}

mlir::LogicalResult Verification::afterStage(const Stage &stage, mlir::ModuleOp module,
                                             const VariantTarget &variant) {
  const Fault *fault = lookupFault(options.injectFault);
  if (fault && fault->stage == stage.name && !fault->inject(module)) {
    report(createStringError("fault '" + options.injectFault + "' cannot be made in this model"),
           UsageError);
    return mlir::failure();
  }
  if (!options.verifyEachStage)
    return mlir::success();
  if (stage.name == "import")
    verifiers.push_back(std::make_unique<StageVerifier>(variant.machine, variant.target,
                                                        getVerifyOptions(options, progress)));
  if (Error error = verifiers.back()->check(stage, module)) {
    report(std::move(error), verifiers.back()->failedToStart() ? ModelError : Mismatch);
    return mlir::failure();
  }
  return mlir::success();
}

int Verification::checkArtifact() {
  if (!options.verifyEachStage)
    return Success;
  for (auto &verifier : verifiers) {
    if (Error error = verifier->checkArtifact(options.output)) {
      sys::fs::remove(options.output);
      return report(std::move(error), Mismatch);
    }
    errs() << options.input << ": " << verifier->summarize() << '\n';
  }
  return Success;
}

} // namespace tssa::compile
