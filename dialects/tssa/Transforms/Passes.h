//===- Passes.h - passes of the tssa dialect -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TSSA_TRANSFORMS_PASSES_H
#define DIALECTS_TSSA_TRANSFORMS_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "tssa/Support/Transforms.h"

namespace mlir::tssa::refs {

#define GEN_PASS_DECL
#include "dialects/tssa/Transforms/Passes.h.inc"

/// Adds all passes of the functional stage; see dialects/tssa/README.md. `transforms` says what
/// happens whatever it costs, or never.
void buildFunctionalStage(OpPassManager &manager, const ::tssa::Transforms &transforms = {});

#define GEN_PASS_REGISTRATION
#include "dialects/tssa/Transforms/Passes.h.inc"

/// Registers the passes and the pipeline `tssa-stage`.
void registerTSSAPasses();

} // namespace mlir::tssa::refs

#endif // DIALECTS_TSSA_TRANSFORMS_PASSES_H
