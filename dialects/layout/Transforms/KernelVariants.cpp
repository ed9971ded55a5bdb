//===- KernelVariants.cpp - changed copies of kernels -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Transforms/KernelVariants.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

void KernelVariants::change(te::LaunchOp launch, StringRef change,
                            function_ref<void(te::KernelOp)> rewrite) {
  te::KernelOp kernel = lookup(launch);
  StringAttr &variant = variants[(kernel.getSymName() + "|" + change).str()];
  if (!variant) {
    te::KernelOp copy = kernel.clone();
    variant = symbols.insert(copy, Block::iterator(kernel));
    copied.insert(kernel);
    rewrite(copy);
  }
  launch.setKernelAttr(FlatSymbolRefAttr::get(variant));
}

void KernelVariants::eraseUnused() {
  for (auto kernel : llvm::make_early_inc_range(module.getOps<te::KernelOp>()))
    if (copied.contains(kernel) && SymbolTable::symbolKnownUseEmpty(kernel, module))
      symbols.erase(kernel);
}
