//===- ReshapeMap.h - the index expressions of a reshape -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TSSA_IR_RESHAPEMAP_H
#define DIALECTS_TSSA_IR_RESHAPEMAP_H

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/ArrayRef.h"

namespace mlir::tssa::refs {

/// Returns the index that an element of a tensor has after a row-major reshape from sizes `from` to
/// sizes `to`. Its index before the reshape is `point`. Sizes are constants or symbols. Dims are
/// matched in groups of equal product, and only the dims of one group are linearised together: the
/// map from [N, 12, 64] to [N, 768] multiplies nothing by N.
SmallVector<AffineExpr> mapReshape(ArrayRef<AffineExpr> point, ArrayRef<AffineExpr> from,
                                   ArrayRef<AffineExpr> to, MLIRContext *context);

} // namespace mlir::tssa::refs

#endif // DIALECTS_TSSA_IR_RESHAPEMAP_H
