//===- Fold.h - folding a te.compute of constants -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_BUILDER_FOLD_H
#define TSSA_LIB_BUILDER_FOLD_H

#include "dialects/te/IR/TEOps.h"

namespace tssa::operators {

/// Returns the results of a te.compute that depends only on constants. Returns nothing if the
/// te.compute depends on other values or is expensive: folding is meant for the few elements that
/// decide shapes and branches.
std::optional<llvm::SmallVector<mlir::ElementsAttr>> foldCompute(mlir::tssa::te::ComputeOp op);

} // namespace tssa::operators

#endif // TSSA_LIB_BUILDER_FOLD_H
