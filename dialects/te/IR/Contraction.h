//===- Contraction.h - recognise products summed over dims -===//
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

/// The multiplication whose results `op` sums in piece `piece`, if the piece yields a product
/// and the combiner is an addition.
Operation *findSummedProduct(ComputeOp op, unsigned piece = 0);

/// A sum of products of two reads: matrix products and convolutions of all kinds.
struct Contraction {
  ReadOp lhs, rhs;
};

/// `op` as a contraction, if it is one. Casts between a read and the product do
/// not matter.
std::optional<Contraction> matchContraction(ComputeOp op);

/// The dims that the two factors of a sum of products depend on.
struct Factors {
  llvm::SetVector<unsigned> first, second;
};

/// `op` as a sum of products of any two values computed in its body, none of them
/// from an element at an index that is data.
std::optional<Factors> matchFactors(ComputeOp op);

/// The reads that the two factors of a sum of products are computed from; one that is used by
/// both is in both.
struct FactorReads {
  SmallVector<ReadOp> first, second;
};

/// The reads of `op`, if it is a sum of products of any two values.
std::optional<FactorReads> findFactorReads(ComputeOp op);

/// Whether an index expression of `read` depends on dim `dim`.
bool dependsOn(ReadOp read, unsigned dim);

/// The only index expression of `read` that depends on `dim`, when it is the dim
/// itself.
std::optional<unsigned> findPlainIndex(ReadOp read, unsigned dim);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_IR_CONTRACTION_H
