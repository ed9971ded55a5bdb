//===- KernelSchedule.h - the schedule of a kernel from points -*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_TRANSFORMS_KERNELSCHEDULE_H
#define DIALECTS_LAYOUT_TRANSFORMS_KERNELSCHEDULE_H

#include "dialects/layout/Template/Space.h"

namespace mlir::tssa::layout {

/// An expression of a kernel, as its loops are chosen.
struct KernelExpression {
  te::ComputeOp op;
  /// The number of leading dims that run over rows: they are not fused and, unless the kernel
  /// computes boxes, not split.
  unsigned rowDims = 0;
  /// Whether the kernel computes several rows at a time, a box of each inner expression: its root
  /// sums over what the others compute.
  bool isInBoxes = false;
  /// Where each iteration computes other expressions, beside the rows: the block of keys that
  /// attention sums over at a time. This dim is a row dim too, and its loop is around that of rows
  /// with tiles.
  std::optional<unsigned> blockDim;
  /// The number of the expression at whose block this one is computed. Nothing: at the rows of the
  /// root.
  std::optional<size_t> owner;

  /// Returns the dims of the outermost loops at `point`, in order: tiled rows are innermost, since
  /// they share what they read.
  SmallVector<unsigned> orderRows(const Point &point) const;

  /// Returns `sizes`, the indexes of each dim in a box, with one of the dim that is its block.
  SmallVector<int64_t> getEntered(ArrayRef<int64_t> sizes) const;
};

/// Returns the te.computes of `kernel` in order, of which the last one is the root. Each of the
/// others is computed at the innermost loop of the root that indexes its reads or at the block of
/// its owner, and its own loops run serially there.
SmallVector<KernelExpression> getKernelExpressions(te::KernelOp kernel);

/// Returns the dim of rows along which the expressions of a kernel in boxes share most of what they
/// read: the innermost of several.
unsigned findBoxDim(ArrayRef<KernelExpression> expressions);

/// Returns the loops over rows of expression `number`, as its points may have them.
RowLoops getRowLoops(ArrayRef<KernelExpression> expressions, size_t number);

/// Returns why a kernel in boxes cannot have the point `root`, or an empty string.
std::string findObstacleToBoxes(ArrayRef<KernelExpression> expressions, const Point &root);

/// Returns for each expression of a kernel in boxes how many indexes of each dim are computed at a
/// time, if the root has the point `root`.
SmallVector<SmallVector<int64_t>> getBoxSizes(ArrayRef<KernelExpression> expressions,
                                              const Point &root);

/// Returns the bytes of memory for these boxes.
double countBoxBytes(ArrayRef<KernelExpression> expressions, const Point &root);

/// Writes the schedule of `kernel`, which has none: the loops of each of its expressions, which
/// have labels, at the point of the same number. There is at least one expression.
void writeSchedule(te::KernelOp kernel, ArrayRef<KernelExpression> expressions,
                   ArrayRef<Point> points);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TRANSFORMS_KERNELSCHEDULE_H
