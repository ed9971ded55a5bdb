//===- SinkProducts.h - products of all iterations after the loop -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A product that a loop only stores, such as out[t] = h @ w, can wait for the end of the loop: the
/// loop stores the operand h of each iteration, and one product of all iterations follows.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TSSA_TRANSFORMS_SINKPRODUCTS_H
#define DIALECTS_TSSA_TRANSFORMS_SINKPRODUCTS_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::tssa::refs {

/// Moves the products that `loop` only stores behind it, as one product each. `loop` must have gone
/// through prepareForBatch; it becomes the loop that takes its place. Emits remarks in `category`.
/// `force`: whatever memory it takes. Returns the number of products.
unsigned sinkProducts(scf::ForOp &loop, StringRef category, bool force);

} // namespace mlir::tssa::refs

#endif // DIALECTS_TSSA_TRANSFORMS_SINKPRODUCTS_H
