//===- Passes.h - passes of the te dialect -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_TRANSFORMS_PASSES_H
#define DIALECTS_TE_TRANSFORMS_PASSES_H

#include "dialects/te/Analysis/Character.h"
#include "dialects/te/Partition/Partition.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "tssa/Support/Precision.h"
#include "tssa/Support/Transforms.h"

namespace mlir::tssa::te {

#define GEN_PASS_DECL
#include "dialects/te/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "dialects/te/Transforms/Passes.h.inc"

/// Registers the passes of the te dialect and the pipeline `te-stage`.
void registerTEPasses();

/// Adds the passes of the te stage that come before the partition.
void buildTEPreparation(OpPassManager &function);

/// Returns into how many parts a target would like the steps of a reduction to be divided.
using PartsChooser = std::function<int64_t(ComputeOp)>;

/// Creates te-split-reductions, which asks `choose` unless it is empty.
std::unique_ptr<Pass> createTESplitReductions(TESplitReductionsOptions options,
                                              PartsChooser choose);

/// Adds the passes of the te stage, which turn single te ops in the host program into launches of
/// kernels. Without `merges`, each op becomes a kernel of its own. `transforms` says what happens
/// whatever it costs, or never. `choose` is that of te-split-reductions.
void buildTEStage(OpPassManager &manager, bool merges = true,
                  const ::tssa::Transforms &transforms = {}, const PartsChooser &choose = {});

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_TRANSFORMS_PASSES_H
