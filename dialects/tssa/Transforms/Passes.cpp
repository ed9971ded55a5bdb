//===- Passes.cpp - the functional stage and its passes -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/tssa/Transforms/Passes.h"
#include "dialects/te/IR/TEDialect.h"
#include "dialects/tssa/IR/TSSAOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "tssa/Support/Canonicalize.h"

using namespace mlir;
using namespace mlir::tssa;

void refs::registerTSSAPasses() {
  registerTSSATransformsPasses();
  PassPipelineRegistration<>("tssa-stage", "all of the functional stage",
                             [](OpPassManager &manager) { buildFunctionalStage(manager); });
}

void refs::buildFunctionalStage(OpPassManager &manager, const ::tssa::Transforms &transforms) {
  OpPassManager &function = manager.nest<func::FuncOp>();
  function.addPass(createTSSAResolveRefs());
  function.addPass(createTSSAFunctionalize());
  function.addPass(::tssa::createSoundCanonicalizerPass());
  function.addPass(createTSSACSE());
  if (transforms.parallelizeLoops != ::tssa::Apply::Never)
    function.addPass(createTSSAParallelizeLoops());
  if (transforms.hoistBatch != ::tssa::Apply::Never)
    function.addPass(createTSSAHoistBatch({transforms.hoistBatch == ::tssa::Apply::Always}));
  function.addPass(createTSSALowerToTE());
}
