//===- Contraction.h - recognise sums of products -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_IR_CONTRACTION_H
#define DIALECTS_TE_IR_CONTRACTION_H

#include "dialects/te/IR/TEOps.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::tssa::te {

/// Returns the multiplications whose results `op` sums in piece `piece`, one for each accumulator.
/// Returns nothing if the combiner does something else than to add, or if the piece does not yield
/// a product for each accumulator.
SmallVector<Operation *> findSummedProducts(ComputeOp op, unsigned piece = 0);

/// The two reads of a sum of products, such as a matrix product or a convolution.
struct Contraction {
  ReadOp lhs, rhs;
};

/// Matches a sum of products of two reads. Casts between a read and the product are ignored.
std::optional<Contraction> matchContraction(ComputeOp op);

/// The dims that the two factors of a sum of products depend on.
struct Factors {
  llvm::SetVector<unsigned> first, second;
};

/// Matches a sum of products of any two values that the body computes, and returns the dims that
/// each value depends on. Returns nothing if a read of the body has an opaque index.
std::optional<Factors> matchFactors(ComputeOp op);

/// The reads that the two factors of a sum of products are computed from. A read that both factors
/// use is in both lists. Of several sums, the factors that some of them share come first, such as
/// the state of a cell and its input; the reads of the other factors are in `second`.
struct FactorReads {
  SmallVector<ReadOp> first, second;
};

/// Returns the reads of the two factors if `op` is a sum of products of any two values, or several
/// such sums.
std::optional<FactorReads> findFactorReads(ComputeOp op);

/// Returns whether an index expression of `read` depends on dim `dim`.
bool dependsOn(ReadOp read, unsigned dim);

/// Returns whether lanes of results of `product` can be adjacent in its factor `read` as it is: its
/// last index depends on a parallel dim on which the other factor does not depend.
bool hasAdjacentLanes(ComputeOp product, ReadOp read, ReadOp other);

/// Returns the position of the index expression of `read` that is the dim `dim` itself. Returns
/// nothing if no index expression is this dim, or if another index expression also depends on it.
std::optional<unsigned> findPlainIndex(ReadOp read, unsigned dim);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_IR_CONTRACTION_H
