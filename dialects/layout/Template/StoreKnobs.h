//===- StoreKnobs.h - a point of the space of layouts -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_TEMPLATE_STOREKNOBS_H
#define DIALECTS_LAYOUT_TEMPLATE_STOREKNOBS_H

#include "dialects/layout/Algebra/LayoutMap.h"
#include "dialects/layout/Template/Roles.h"

namespace mlir::tssa::layout {

/// A tile of an image dim.
struct ImageTile {
  unsigned dim = 0;   ///< of the expression
  int64_t extent = 0; ///< number of positions in the result; 0 or all of them is no tile
};

/// How the tensors of a sum of products are stored: the knobs of the template for layouts (ALT,
/// section 5.1). A block of 0 leaves the dim of the tensor as it is, and one as large as the dim
/// puts all channels last. With all knobs 0, each tensor is stored as it is.
struct StoreKnobs {
  SmallVector<ImageTile> image; ///< of the result; those of the data follow from them
  int64_t group = 0;            ///< block of groups, of all tensors
  int64_t out = 0;              ///< block of output channels of the result
  int64_t in = 0;               ///< block of input channels of the data
  int64_t weightsIn = 0;        ///< block of input channels of the weights
  int64_t weightsOut = 0;       ///< block of output channels of the weights
};

/// Prints knobs in one line, such as `image d2 4 d3 4, out 16, in 16, weights in 16 out 16`,
/// without those that are 0, or `none`.
raw_ostream &operator<<(raw_ostream &stream, const StoreKnobs &knobs);

/// Parses what is printed, or ALT's point: `alt` and the numbers of `getALTPoint`, as in
/// `alt 4 4 16 8` for a 2-D convolution.
FailureOr<StoreKnobs> parseStoreKnobs(StringRef text, const Roles &roles, Refuse refuse);

/// Returns the point of the space that is ALT's template for an expression with `roles`: a tile for
/// each image dim, the block of channels of the result, and that of the input channels of the data,
/// if there are any. Two more numbers are the blocks of input and output channels of the weights,
/// which are otherwise the same. In a depthwise or grouped convolution, the groups take the place
/// of output channels.
FailureOr<StoreKnobs> getALTPoint(const Roles &roles, ArrayRef<int64_t> numbers, Refuse refuse);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TEMPLATE_STOREKNOBS_H
