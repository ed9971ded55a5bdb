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

/// A blocked storage of a tensor. Dim `blocked` is divided into blocks of `block` elements. The
/// dims in storage are the index of the block, then the dims `order`, then the position in the
/// block. For example, blocks of 16 along dim o give [o/16, c, kh, kw, 16].
struct Packing {
  int64_t blocked = 0, block = 1;
  SmallVector<int64_t, 6> order; ///< all dims but `blocked`

  bool operator==(const Packing &other) const {
    return blocked == other.blocked && block == other.block && order == other.order;
  }

  /// Returns the type in storage of a tensor of type `logical`.
  RankedTensorType getType(RankedTensorType logical) const;
  /// Returns the indexes in storage of the element at the indexes `logical`.
  SmallVector<AffineExpr> getIndex(ArrayRef<AffineExpr> logical) const;
};

/// Returns the elements of `value` in this storage, with the last block padded with zeros. Returns
/// null if `value` is a splat, has no accessible bytes, or has elements that are not whole bytes.
ElementsAttr pack(ElementsAttr value, const Packing &packing);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TRANSFORMS_PACKEDCONSTANT_H
