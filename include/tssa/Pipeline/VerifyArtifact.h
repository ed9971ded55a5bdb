//===- VerifyArtifact.h - run an artifact on tensors -----------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_PIPELINE_VERIFYARTIFACT_H
#define TSSA_PIPELINE_VERIFYARTIFACT_H

#include "tssa/Pipeline/Compile.h"
#include "tssa/Reference/HostTensor.h"

#include <vector>

namespace tssa {

/// Compiles a module at the import stage to an artifact at `path`.
llvm::Error compileToArtifact(mlir::ModuleOp module, const CompileOptions &options,
                              llvm::StringRef path);

/// Loads the artifact at `path` and runs it once on `inputs`. `device` selects the variant, by its
/// name for --device. Returns the results, with the element types of `like`.
llvm::Expected<std::vector<reference::HostTensor>>
runArtifact(llvm::StringRef path, llvm::StringRef device,
            llvm::ArrayRef<reference::HostTensor> inputs,
            llvm::ArrayRef<reference::HostTensor> like);

} // namespace tssa

#endif // TSSA_PIPELINE_VERIFYARTIFACT_H
