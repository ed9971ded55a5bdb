//===- MergedKernel.h - one kernel for several launches -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_TRANSFORMS_MERGEDKERNEL_H
#define DIALECTS_LAYOUT_TRANSFORMS_MERGEDKERNEL_H

#include "dialects/layout/Transforms/KernelVariants.h"

namespace mlir::tssa::layout {

/// Replaces launches by one launch of a kernel that has all their expressions, each with its own
/// schedule. Launches of the same kernels that pass the same values in the same places share it.
class LaunchMerger {
public:
  explicit LaunchMerger(ModuleOp module) : module(module), symbols(module) {}

  te::KernelOp lookup(te::LaunchOp launch) { return lookupKernel(symbols, launch); }

  /// Replaces `launches`, at least two of one block in the order of the program, by a launch at the
  /// place of the first one. The operands of the others are known there, or are results of launches
  /// before them. Returns the new launch.
  te::LaunchOp merge(ArrayRef<te::LaunchOp> launches);

  /// Erases the kernels that lost their last launch.
  void eraseUnused();

private:
  ModuleOp module;
  SymbolTable symbols;
  llvm::StringMap<StringAttr> merged; ///< names of kernels, keyed by members and shared values
  llvm::SmallSetVector<te::KernelOp, 8> members;
};

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TRANSFORMS_MERGEDKERNEL_H
