//===- Emptiness.h - whether a small integer set has a point -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_ANALYSIS_EMPTINESS_H
#define DIALECTS_TE_ANALYSIS_EMPTINESS_H

#include "mlir/IR/IntegerSet.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>

namespace mlir::tssa::te {

/// Inequalities (`expr` >= 0) over dims.
using Constraints = SmallVector<AffineExpr>;

/// Whether a box has no point that satisfies all constraints. Exact for constant
/// sizes; with dynamic ones either true or nullopt. nullopt also if the question is
/// not pure affine, has symbols or is too large to answer quickly.
std::optional<bool> isEmpty(ArrayRef<int64_t> sizes, ArrayRef<AffineExpr> constraints);

/// The constraints of a set, with two inequalities for each equality.
Constraints getInequalities(IntegerSet set);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_ANALYSIS_EMPTINESS_H
