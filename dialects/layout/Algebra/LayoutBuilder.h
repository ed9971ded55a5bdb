//===- LayoutBuilder.h - applying primitives to a shape -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_ALGEBRA_LAYOUTBUILDER_H
#define DIALECTS_LAYOUT_ALGEBRA_LAYOUTBUILDER_H

#include "dialects/layout/Algebra/TensorLayout.h"

namespace mlir::tssa::layout {

/// Applies primitives to a layout, one after the other, for TensorLayout::get.
class LayoutBuilder {
public:
  LayoutBuilder(TensorLayout &layout, Refuse refuse)
      : layout(layout), dims(layout.dims), numbers(layout.numbers), refuse(refuse),
        sizes(layout.context) {}

  LogicalResult start(ArrayRef<AffineExpr> shape);
  LogicalResult apply(const Primitive &next);

private:
  LogicalResult split();
  LogicalResult reorder();
  LogicalResult fuse();
  LogicalResult pad();
  LogicalResult padTo();
  LogicalResult unpad();
  LogicalResult unfold();
  LogicalResult unfoldOverlapping(AffineExpr size);
  LogicalResult fold();
  LogicalResult checkFold(AffineExpr tiles, AffineExpr tile);

  DigitList makePadded(DigitList list, int64_t low, AffineExpr size, AffineExpr padded);
  DigitList makeUnpadded(DigitList list, int64_t low, int64_t high, AffineExpr size);
  DigitList makeFolded(DigitList tiles, DigitList offsets, int64_t tile);
  std::optional<unsigned> findUnfolded(ArrayRef<Digit> tiles, ArrayRef<Digit> offsets);

  /// Demands that `expr` is 0 if `isEquality`, and at least 0 otherwise. If `expr` is a constant
  /// that does not satisfy this, fails with `reason`. If `expr` is dynamic, adds a condition with
  /// `reason`.
  LogicalResult demand(AffineExpr expr, bool isEquality, const Twine &reason);
  void grow(AffineExpr cells, AffineExpr elements);
  void replaceDims(int64_t count, ArrayRef<DigitList> by);
  LogicalResult checkSizes();
  LogicalResult fail(const Twine &message);
  std::string describeDim(int64_t dim);
  void undoBy(const Primitive &inverse) { layout.inverse.push_back(inverse); }
  void undoByNothing(const Twine &why);

  AffineExpr getSize(int64_t dim) { return getExtent(dims[dim], sizes); }
  int64_t value(unsigned i) const { return primitive->values[i]; }

  TensorLayout &layout;
  SmallVector<DigitList> &dims;
  NumberTable &numbers;
  Refuse refuse;
  SizeArithmetic sizes;
  const Primitive *primitive = nullptr;
};

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_ALGEBRA_LAYOUTBUILDER_H
