//===- KernelStores.h - the stores of a kernel -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_TRANSFORMS_KERNELSTORES_H
#define DIALECTS_LAYOUT_TRANSFORMS_KERNELSTORES_H

#include "dialects/layout/Algebra/TensorLayout.h"
#include "dialects/layout/IR/LayoutOps.h"
#include "dialects/te/IR/TEOps.h"

namespace mlir::tssa::layout {

/// A layout.store with the tensor that it stores: a parameter, or the results of an expression.
struct KernelStore {
  StoreOp op;
  std::optional<unsigned> parameter;
  te::ComputeOp expression; ///< null for a parameter
  TensorLayout layout;      ///< dynamic dim i has the size s<i>
  /// Of a parameter: whether all launches pass a tensor whose cells without an element hold zero.
  bool hasZeroPadding = false;
};

/// Returns the layout of a tensor of type `type` under `map`. Refuses a map that does not fit the
/// type, and a layout that no kernel can use:
/// - one that computes something from dynamic sizes, other than to permute dims,
/// - one that drops elements,
/// - one with more than 64 cells per element.
FailureOr<TensorLayout> getLayout(const LayoutMap &map, RankedTensorType type, Refuse refuse);

/// Returns the element of a cell, for a layout that `getLayout` has returned. The algebra gives the
/// index 0 for a dim of size 1. Here this index is a dim of size 1 of the cell, if there is one
/// that is not used yet, so that reads dim by dim stay such reads.
GuardedIndex getElement(const TensorLayout &layout, ArrayRef<AffineExpr> cell);

/// Returns the index of the cell that `read` reads once its source is stored in `layout`, in the
/// same form. Where tiles overlap, the read must move windows over the tensor that the tiles hold
/// (TensorLayout::getCellInWindows); otherwise it is refused.
FailureOr<SmallVector<AffineExpr>> getCellOfRead(te::ReadOp read, const TensorLayout &layout,
                                                 Refuse refuse);

/// Returns the cell of an element for a layout without overlapping tiles, in the same form.
SmallVector<AffineExpr> getCell(const TensorLayout &layout, ArrayRef<AffineExpr> element);

/// Returns whether `layout` has a border, which surrounds the elements: the cells without one are
/// boxes. What makes sizes multiples is none, since vectors run over it.
bool hasBorder(const TensorLayout &layout);

/// Returns whether `compute` stores zeros in the cells of `layout` that have no element. A
/// reduction does so in a border, if its kernel returns the result and does not read it; in other
/// padding, its reads give zeros.
bool padsWithZeros(te::ComputeOp compute, const TensorLayout &layout);

/// Returns disjoint sets over the dims of a cell that together have all cells outside of `guard`:
/// set i has the cells for which constraint i of the guard is the first that does not hold.
SmallVector<IntegerSet> getPaddingSets(unsigned numDims, ArrayRef<AffineExpr> guard);

/// Returns the stores of the schedule of `kernel`, in order. Emits an error at a store whose
/// operand does not exist or is used other than by te.read or te.return, or whose map `getLayout`
/// refuses. A tensor that is read at opaque indexes can only be split and reordered. Otherwise an
/// index that is out of bounds could become the index of another cell.
FailureOr<std::vector<KernelStore>> getStores(te::KernelOp kernel);

/// Returns whether parameter `parameter` of `kernel`, a tensor, can be stored by `map`. If tiles of
/// the map overlap, each read must move windows over them, as `getCellOfRead` says.
bool canStore(te::KernelOp kernel, unsigned parameter, const LayoutMap &map);

/// Returns for each parameter of the kernel its layout, or nothing if it has no store.
std::vector<std::optional<TensorLayout>> getParameterLayouts(te::KernelOp kernel,
                                                             ArrayRef<KernelStore> stores);

/// Returns for each result of the kernel its layout, or nothing if it has no store.
std::vector<std::optional<TensorLayout>> getResultLayouts(te::KernelOp kernel,
                                                          ArrayRef<KernelStore> stores);

/// Adds a store to the schedule of `kernel`, after the stores that it has. The operand is a
/// parameter, or the expression with a label.
void addStore(te::KernelOp kernel, unsigned parameter, const LayoutMap &map);
void addStore(te::KernelOp kernel, StringRef label, const LayoutMap &map);

/// Returns whether the schedule of `kernel` has ops other than stores.
bool hasLoops(te::KernelOp kernel);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TRANSFORMS_KERNELSTORES_H
