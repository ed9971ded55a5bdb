//===- KernelVariants.h - changed copies of kernels -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_TRANSFORMS_KERNELVARIANTS_H
#define DIALECTS_LAYOUT_TRANSFORMS_KERNELVARIANTS_H

#include "dialects/te/IR/TEOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::tssa::layout {

/// Kernels are shared by launches. A launch that needs its kernel changed gets a copy,
/// the same one for launches that need the same change.
class KernelVariants {
public:
  explicit KernelVariants(ModuleOp module) : module(module), symbols(module) {}

  /// The kernel that `launch` runs on tensors; null after stage buffers, when it runs on
  /// memory, or is a function already.
  te::KernelOp lookup(te::LaunchOp launch) {
    if (!launch.getOuts().empty())
      return nullptr;
    return symbols.lookup<te::KernelOp>(launch.getKernel());
  }

  /// Lets `launch` use a copy of its kernel that `rewrite` has changed. `change` says
  /// what `rewrite` does: equal texts for one kernel mean equal copies.
  void change(te::LaunchOp launch, StringRef change, function_ref<void(te::KernelOp)> rewrite);

  /// Erases `launch`, which has no uses, and has its kernel looked at by eraseUnused.
  void release(te::LaunchOp launch) {
    copied.insert(lookup(launch));
    launch.erase();
  }

  /// Erases the kernels of which there are copies, or that were released, and no launches
  /// any more.
  void eraseUnused();

private:
  ModuleOp module;
  SymbolTable symbols;
  llvm::StringMap<StringAttr> variants; ///< by kernel and change
  llvm::SmallPtrSet<Operation *, 8> copied;
};

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TRANSFORMS_KERNELVARIANTS_H
