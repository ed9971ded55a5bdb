//===- BoxGroup.h - products that run with what they read -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Attention multiplies queries by keys, normalises the rows of these scores, and multiplies them
/// by values. As one kernel, the scores of a block of rows stay in the cache and are never stored
/// as a whole (Souffle, section 5.4: an expression and those it reads whole share a launch).
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_PARTITION_BOXGROUP_H
#define DIALECTS_TE_PARTITION_BOXGROUP_H

#include "dialects/te/IR/TEOps.h"

namespace mlir::tssa::te {

/// Expressions that can be computed for some rows at a time.
struct BoxGroup {
  /// In program order; the last one is the root, a product. The others are what it sums over: they
  /// lead to a product whose rows have more elements than it reads for them, and each is read only
  /// inside the group, at the index of the row.
  SmallVector<Operation *> ops;
  SmallVector<unsigned> order; ///< for each row dim of the root, that of the others

  unsigned getNumRows() const { return order.size(); }
  ComputeOp getRoot() const { return cast<ComputeOp>(ops.back()); }
  bool contains(Operation *op) const { return llvm::is_contained(ops, op); }
};

/// Returns the group of `root`, if there is such a product.
std::optional<BoxGroup> findBoxGroup(ComputeOp root);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_PARTITION_BOXGROUP_H
