//===- Passes.cpp - the te stage and its passes -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "tssa/Support/Canonicalize.h"

using namespace mlir;
using namespace mlir::tssa;

void te::registerTEPasses() {
  registerTETransformsPasses();
  PassPipelineRegistration<>("te-stage", "all of the te stage",
                             [](OpPassManager &manager) { buildTEStage(manager); });
}

void te::buildTEPreparation(OpPassManager &function) {
  function.addPass(::tssa::createSoundCanonicalizerPass());
  function.addPass(createTESimplify());
}

void te::buildTEStage(OpPassManager &manager, bool merges, const ::tssa::Transforms &transforms,
                      const PartsChooser &choose) {
  OpPassManager &function = manager.nest<func::FuncOp>();
  buildTEPreparation(function);
  if (merges) {
    TEMergeOptions merging;
    merging.partition = transforms.mergeVertically;
    merging.updates = transforms.expandUpdates;
    merging.windows = transforms.storeWindows;
    merging.permutations = transforms.absorbPermutations;
    function.addPass(createTEMerge(merging));
    function.addPass(createTEMergeHorizontally({transforms.mergeHorizontally}));
    function.addPass(createTESplitReductions({transforms.splitReductions}, choose));
  }
  function.addPass(::tssa::createSoundCanonicalizerPass());
  // The host program now has equal ops, left by merging, and ops that te-simplify can fold since
  // the canonicalizer has run again.
  function.addPass(createTESimplify());
  function.addPass(createTECheckBounds());
  function.addPass(createTEFoldConstants());
  function.addPass(createTEFoldFactors());
  if (merges) {
    function.addPass(createTEFuseCells({transforms.fuseCells}));
    function.addPass(createTESkewLoops({transforms.skewLoops}));
    function.addPass(createTECutConstants());
    function.addPass(createTEShareDomains({transforms.mergeHorizontally}));
  }
  TEFormKernelsOptions forming;
  forming.groupRows = merges;
  forming.boxes = transforms.boxes;
  manager.addPass(createTEFormKernels(forming));
  manager.addPass(createTEDeduplicateKernels());
  manager.addPass(createTEGeneralizeKernels());
  // Renumbers the names of the kernels.
  manager.addPass(createTEDeduplicateKernels());
  manager.addPass(createTEMarkFinite());
}
