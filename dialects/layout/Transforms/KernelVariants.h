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

/// Returns the kernel of `launch`, or null if `launch` already works on memrefs or its kernel is
/// already a function.
inline te::KernelOp lookupKernel(const SymbolTable &symbols, te::LaunchOp launch) {
  return launch.getOuts().empty() ? symbols.lookup<te::KernelOp>(launch.getKernel())
                                  : te::KernelOp();
}

/// Creates changed copies of kernels. Launches may share a kernel, so a launch that needs a change
/// gets a copy of the kernel. Launches that need the same change get the same copy.
class KernelVariants {
public:
  explicit KernelVariants(ModuleOp module) : module(module), symbols(module) {}

  te::KernelOp lookup(te::LaunchOp launch) { return lookupKernel(symbols, launch); }

  /// Makes `launch` use a copy of its kernel that `rewrite` has changed. `change` identifies the
  /// change: launches of the same kernel with equal `change` share one copy.
  void change(te::LaunchOp launch, StringRef change, function_ref<void(te::KernelOp)> rewrite);

  /// Erases `launch`, which must have no uses, and lets `eraseUnused` consider its kernel.
  void release(te::LaunchOp launch) {
    copied.insert(lookup(launch));
    launch.erase();
  }

  /// Erases each kernel that has no launch left, if `change` copied it or `release` erased one of
  /// its launches.
  void eraseUnused();

private:
  ModuleOp module;
  SymbolTable symbols;
  llvm::StringMap<StringAttr> variants; ///< names of copies, keyed by kernel and change
  llvm::SmallPtrSet<Operation *, 8> copied;
};

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TRANSFORMS_KERNELVARIANTS_H
