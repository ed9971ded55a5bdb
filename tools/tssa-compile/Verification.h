//===- Verification.h - implements --verify-each-stage ---------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TOOLS_TSSA_COMPILE_VERIFICATION_H
#define TOOLS_TSSA_COMPILE_VERIFICATION_H

#include "Options.h"
#include "tssa/Pipeline/Compile.h"
#include "tssa/Pipeline/VerifyStages.h"

namespace tssa::compile {

/// Runs the model after every stage, for each target, if the options request it.
class Verification {
public:
  explicit Verification(const Options &options) : options(options) {}

  /// Makes the compilation stop after the first stage whose results are wrong.
  void attach(CompileOptions &compile);
  /// Returns the exit code if the verification stopped the compilation; it has reported why.
  std::optional<int> getExitCode() const { return exitCode; }
  /// Runs the artifact that was written, and removes it if its results are wrong. Returns the
  /// exit code.
  int checkArtifact();

private:
  mlir::LogicalResult afterStage(const Stage &stage, mlir::ModuleOp module,
                                 const VariantTarget &variant);
  int report(llvm::Error error, int code);

  const Options &options;
  ProgressFunction progress;                             ///< of the compilation
  std::vector<std::unique_ptr<StageVerifier>> verifiers; // the last one is in use
  std::optional<int> exitCode;
};

} // namespace tssa::compile

#endif // TOOLS_TSSA_COMPILE_VERIFICATION_H
