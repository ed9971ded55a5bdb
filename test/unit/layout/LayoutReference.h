//===- LayoutReference.h - layouts by moving elements -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The meaning of layout maps once more, in the plainest way: a tensor whose cells hold the numbers
/// of elements, and primitives that move them. `checkLaws` compares a TensorLayout with it.
///
//===----------------------------------------------------------------------===//
#ifndef TEST_UNIT_LAYOUT_LAYOUTREFERENCE_H
#define TEST_UNIT_LAYOUT_LAYOUTREFERENCE_H

#include "dialects/layout/Algebra/TensorLayout.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"
#include <vector>

namespace mlir::tssa::layout {

/// Cells in row-major order. -1 is a cell without an element.
struct Cells {
  std::vector<int64_t> shape, elements;

  /// The elements of a logical tensor, numbered in row-major order.
  explicit Cells(ArrayRef<int64_t> shape);
  bool operator==(const Cells &other) const {
    return shape == other.shape && elements == other.elements;
  }

  /// The cells after a primitive that fits.
  void apply(const Primitive &primitive);

private:
  using Source = llvm::function_ref<int64_t(std::vector<int64_t> &)>;
  void fill(std::vector<int64_t> newShape, Source source);
};

/// Calls `fn` for every index below `shape`, in row-major order.
void forEachIndex(ArrayRef<int64_t> shape, llvm::function_ref<void(ArrayRef<int64_t>)> fn);
int64_t countIndexes(ArrayRef<int64_t> shape);

int64_t evaluate(AffineExpr expr, ArrayRef<int64_t> dims, ArrayRef<int64_t> symbols = {});
/// The value of the index, if the guard holds.
std::optional<std::vector<int64_t>> evaluate(const GuardedIndex &index, ArrayRef<int64_t> dims,
                                             ArrayRef<int64_t> symbols = {});
/// d<first>, d<first + 1> and so on.
SmallVector<AffineExpr> makeDims(MLIRContext *context, size_t count, size_t first = 0);

/// Keeps the last message; refusals are expected of tests that look at it.
struct Messages {
  std::string last;
  auto take() {
    return [this](const Twine &message) { last = message.str(); };
  }
};

/// Checks the laws in TensorLayout.h for a layout without fold, which stores elements in `cells`.
/// For a layout with dynamic sizes, `symbols` and `shape` say what they are.
void checkLaws(const TensorLayout &layout, const Cells &cells, ArrayRef<int64_t> shape,
               ArrayRef<int64_t> symbols = {});

/// For GoogleTest's messages.
inline std::ostream &operator<<(std::ostream &os, const LayoutMap &map) {
  std::string text;
  llvm::raw_string_ostream(text) << map;
  return os << text;
}

/// Whether a map has primitives that drop cells.
bool hasUnpad(const LayoutMap &map);

} // namespace mlir::tssa::layout

#endif // TEST_UNIT_LAYOUT_LAYOUTREFERENCE_H
