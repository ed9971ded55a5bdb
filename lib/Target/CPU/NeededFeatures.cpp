//===- NeededFeatures.cpp - the features of a CPU that code needs ---------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulateAMX.h"
#include "dialects/layout/IR/Atoms.h"
#include "dialects/layout/IR/LayoutOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "tssa/Target/CPU.h"

using namespace mlir;
using namespace mlir::tssa;

namespace tssa::cpu {

/// Returns whether the kernels of a module, at any stage, multiply matrices in registers.
static bool usesMatrices(ModuleOp module) {
  auto found = module.walk([](Operation *op) {
    auto atom = dyn_cast<layout::AtomOp>(op);
    auto call = dyn_cast<LLVM::CallIntrinsicOp>(op);
    bool isMatrix = (atom && mlir::tssa::layout::findAtom(atom.getInstruction())->isMatrix()) ||
                    (call && !findAMXFeature(call.getIntrin()).empty());
    return isMatrix ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found.wasInterrupted();
}

std::vector<std::string> getNeededFeatures(ModuleOp module, const Machine &machine) {
  std::vector<std::string> features = machine.features;
  if (machine.emulatesAtoms || !usesMatrices(module))
    llvm::erase_if(features, [](StringRef name) { return name.starts_with("amx-"); });
  return features;
}

} // namespace tssa::cpu
