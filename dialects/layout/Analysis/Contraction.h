//===- Contraction.h - recognise products summed over dims -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_ANALYSIS_CONTRACTION_H
#define DIALECTS_LAYOUT_ANALYSIS_CONTRACTION_H

#include "dialects/te/IR/TEOps.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::tssa::layout {

/// A sum of products of two reads: matrix products and convolutions of all kinds.
struct Contraction {
  te::ReadOp lhs, rhs;
};

/// `op` as a contraction, if it is one. Casts between a read and the product do
/// not matter.
std::optional<Contraction> matchContraction(te::ComputeOp op);

/// The dims that the two factors of a sum of products depend on.
struct Factors {
  llvm::SetVector<unsigned> first, second;
};

/// `op` as a sum of products of any two values computed in its body, none of them
/// from an element at an index that is data.
std::optional<Factors> matchFactors(te::ComputeOp op);

/// The reads that the two factors of a sum of products are computed from; one that is used by
/// both is in both.
struct FactorReads {
  SmallVector<te::ReadOp> first, second;
};

/// The reads of `op`, if it is a sum of products of any two values.
std::optional<FactorReads> findFactorReads(te::ComputeOp op);

/// Whether `read` has an index that its body computes.
bool hasOpaqueIndex(te::ReadOp read);

/// Whether an index expression of `read` depends on dim `dim`.
bool dependsOn(te::ReadOp read, unsigned dim);

/// The only index expression of `read` that depends on `dim`, when it is the dim
/// itself.
std::optional<unsigned> findPlainIndex(te::ReadOp read, unsigned dim);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_ANALYSIS_CONTRACTION_H
