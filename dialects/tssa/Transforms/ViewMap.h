//===- ViewMap.h - a path as index expressions -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TSSA_TRANSFORMS_VIEWMAP_H
#define DIALECTS_TSSA_TRANSFORMS_VIEWMAP_H

#include "dialects/te/IR/TEOps.h"
#include "dialects/tssa/IR/TSSAOps.h"
#include "mlir/IR/AffineMap.h"

namespace mlir::tssa::refs {

/// The index expressions of a view.
struct ViewMap {
  /// Maps the dims of the view, and the symbols, to the dims of the base.
  AffineMap map;
  SmallVector<Value> symbols;
  /// The sizes of the view.
  SmallVector<OpFoldResult> sizes;
};

/// Returns the map of the view of `base` along `path`. May build ops that compute sizes.
ViewMap makeViewMap(OpBuilder &builder, Location loc, const Path &path, Value base);

/// Replaces the uses of the access `op` by an expression that reads the elements of the view.
void lowerAccess(OpBuilder &builder, AccessOp op);

/// Replaces the uses of the assign `op` by an update that writes the elements of the view. Returns
/// the update.
te::UpdateOp lowerAssign(OpBuilder &builder, AssignOp op);

} // namespace mlir::tssa::refs

#endif // DIALECTS_TSSA_TRANSFORMS_VIEWMAP_H
