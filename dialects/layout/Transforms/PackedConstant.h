//===- PackedConstant.h - constants in blocked storage -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_TRANSFORMS_PACKEDCONSTANT_H
#define DIALECTS_LAYOUT_TRANSFORMS_PACKEDCONSTANT_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::tssa::layout {

/// Storage of a tensor: dim `blocked` is cut into blocks of `block` elements; the
/// number of the block is the first dim, the dims `order` follow, the place in the
/// block is the last. For o16: [o/16, c, kh, kw, 16].
struct Packing {
  int64_t blocked = 0, block = 1;
  SmallVector<int64_t, 6> order; ///< all dims but `blocked`

  bool operator==(const Packing &other) const {
    return blocked == other.blocked && block == other.block && order == other.order;
  }

  RankedTensorType getType(RankedTensorType logical) const;
  /// Indexes of storage for logical indexes.
  SmallVector<AffineExpr> getIndex(ArrayRef<AffineExpr> logical) const;
};

/// The elements of `value` in this storage; null if its bytes cannot be had. The
/// last block is filled up with zeros.
ElementsAttr pack(ElementsAttr value, const Packing &packing);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TRANSFORMS_PACKEDCONSTANT_H
