//===- Propagation.h - when a kernel adopts the layout of its operand -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_TRANSFORMS_PROPAGATION_H
#define DIALECTS_LAYOUT_TRANSFORMS_PROPAGATION_H

#include "dialects/layout/Algebra/LayoutMap.h"
#include "dialects/te/IR/TEOps.h"

namespace mlir::tssa::layout {

/// Returns whether each index i of `read`, in `compute`, depends on no parallel dim but dim i.
bool walksDimByDim(te::ReadOp read, te::ComputeOp compute);

/// `read` reads a tensor that is stored by `map`. Returns the reason why the results of `compute`,
/// which contains `read`, should not be stored by the same map, or an empty string if they should.
///
/// An order of dims is adopted by an expression that walks the tensor dim by dim. Any other map is
/// adopted under the limits of the ALT paper (section 4.3): the expression is element-wise and has
/// the shape of the tensor, since parameters of primitives depend on the shape; and the map neither
/// pads nor copies, since this would grow all tensors that follow. A contraction has a layout of
/// its own.
StringRef findObstacleToAdoption(te::ReadOp read, te::ComputeOp compute, const LayoutMap &map);

/// Returns the order of the results of the reduction `compute` that follows that of the tensor of
/// `read`, which is stored by `map`, an order of its dims: without those that are reduced. Returns no
/// map if some index is no dim of its own, or if that is the order of the dims of `compute`.
LayoutMap dropReducedDims(te::ReadOp read, te::ComputeOp compute, const LayoutMap &map);

/// Returns the order of the results of `compute` in which it walks the tensor of `read` from first
/// to last, if `compute` only permutes the elements that it reads, such as the element-wise
/// expression behind a layer normalisation of channels. Returns no map if it does not, or if that
/// is the order of its dims.
LayoutMap undoPermutation(te::ReadOp read, te::ComputeOp compute);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TRANSFORMS_PROPAGATION_H
