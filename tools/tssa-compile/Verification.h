//===- Verification.h - --verify-each-stage --------------------*- C++ -*-===//
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

/// Runs the model after every stage if the options ask for it, for each target.
class Verification {
public:
  Verification(const Options &options, const cpu::Machine &machine);

  /// Makes the compilation stop at the first wrong stage.
  void attach(CompileOptions &compile);
  /// What stopped the compilation, if this did: the exit code, already reported.
  std::optional<int> getExitCode() const { return exitCode; }
  /// Runs the artifact that was written; it is removed if it is wrong.
  int checkArtifact();

private:
  mlir::LogicalResult afterStage(const Stage &stage, mlir::ModuleOp module, const Target &target);
  int report(llvm::Error error, int code);

  const Options &options;
  const cpu::Machine &machine;
  std::vector<std::unique_ptr<StageVerifier>> verifiers; // the last one is at work
  std::optional<int> exitCode;
};

} // namespace tssa::compile

#endif // TOOLS_TSSA_COMPILE_VERIFICATION_H
