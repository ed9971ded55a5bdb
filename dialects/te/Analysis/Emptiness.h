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

/// Returns whether no point of the box with `sizes` satisfies all constraints. The answer is exact
/// for constant sizes; with dynamic sizes it is either true or nothing. Also returns nothing if the
/// constraints are not pure affine, have symbols, or are too many to decide quickly.
std::optional<bool> isEmpty(ArrayRef<int64_t> sizes, ArrayRef<AffineExpr> constraints);

/// Returns the constraints of `set` as inequalities, two for each equality.
Constraints getInequalities(IntegerSet set);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_ANALYSIS_EMPTINESS_H
