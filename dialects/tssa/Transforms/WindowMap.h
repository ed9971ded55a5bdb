//===- WindowMap.h - a path as index expressions -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TSSA_TRANSFORMS_WINDOWMAP_H
#define DIALECTS_TSSA_TRANSFORMS_WINDOWMAP_H

#include "dialects/tssa/IR/TSSAOps.h"
#include "mlir/IR/AffineMap.h"

namespace mlir::tssa::refs {

/// Where the elements of a window lie in its base.
struct WindowMap {
  /// From the dims of the window, and the symbols, to those of the base.
  AffineMap map;
  SmallVector<Value> symbols;
  /// Of the window.
  SmallVector<OpFoldResult> sizes;
};

/// The map of the window of `base` along `path`. May build ops for sizes.
WindowMap makeWindowMap(OpBuilder &builder, Location loc, const Path &path, Value base);

/// Replaces the access by an expression that reads the window.
void lowerAccess(OpBuilder &builder, AccessOp op);

} // namespace mlir::tssa::refs

#endif // DIALECTS_TSSA_TRANSFORMS_WINDOWMAP_H
