//===- SlidingWindowTest.cpp - reads in windows through unfolded dims -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayoutReference.h"
#include "dialects/te/Analysis/IndexSimplifier.h"
#include "mlir/IR/BuiltinTypeInterfaces.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

namespace {

class SlidingWindowTest : public ::testing::Test {
protected:
  TensorLayout apply(ArrayRef<Primitive> primitives, ArrayRef<int64_t> shape) {
    return *TensorLayout::get(*LayoutMap::get(primitives, messages.take()), shape, &context,
                              messages.take());
  }
  AffineExpr dim(unsigned i) { return getAffineDimExpr(i, &context); }
  AffineExpr constant(int64_t value) { return getAffineConstantExpr(value, &context); }

  /// A read at stride * d0 + d1 + first, for 0 <= d0 < count and 0 <= d1 < length.
  SlidingWindow makeWindow(int64_t count, int64_t stride, int64_t length, int64_t first = 0) {
    return {dim(0), constant(count), dim(1) + first, stride, first, first + length - 1};
  }
  FailureOr<WindowedIndex> read(const TensorLayout &layout, const SlidingWindow &window) {
    return layout.getCellInWindows({window.window * window.stride + window.offset}, {window},
                                   messages.take());
  }

  MLIRContext context;
  Messages messages;
};

/// Where the rule holds, every read that is in bounds finds its element. It holds for the tiles
/// that templates choose: those that n windows need, n * stride apart.
TEST_F(SlidingWindowTest, FindsEveryElement) {
  unsigned accepted = 0, refused = 0;
  forEachIndex({10, 3, 10, 10, 4, 10}, [&](ArrayRef<int64_t> numbers) {
    int64_t size = numbers[0] + 1, padding = numbers[1], padded = size + 2 * padding;
    int64_t tile = numbers[2] + 1, distance = numbers[3] + 1;
    int64_t stride = numbers[4] + 1, length = numbers[5] + 1;
    if (tile > padded || distance > tile || length > padded)
      return;
    Primitive primitives[] = {Primitive::pad(0, padding, padding),
                              Primitive::unfold(0, tile, distance)};
    TensorLayout layout = apply(primitives, {size});
    int64_t count = (padded - length) / stride + 1;
    FailureOr<WindowedIndex> index = read(layout, makeWindow(count, stride, length, -padding));
    int64_t most = tile < length ? 0 : (tile - length) / stride + 1;
    bool isMade = distance == stride * most && distance < tile && tile < padded && size > 1;
    EXPECT_TRUE(succeeded(index) || !isMade) << messages.last;
    succeeded(index) ? ++accepted : ++refused;
    if (failed(index) || index->index.size() != 2)
      return;
    Cells cells({size});
    for (const Primitive &primitive : primitives)
      cells.apply(primitive);
    forEachIndex({count, length}, [&](ArrayRef<int64_t> at) {
      int64_t element = at[0] * stride + at[1] - padding;
      if (element < 0 || element >= size)
        return;
      int64_t t = evaluate(index->index[0], at), b = evaluate(index->index[1], at);
      EXPECT_TRUE(t >= 0 && b >= 0 && t < cells.shape[0] && b < cells.shape[1]);
      EXPECT_EQ(cells.elements[t * cells.shape[1] + b], element);
    });
  });
  EXPECT_GT(accepted, 5000u);
  EXPECT_GT(refused, 5000u);
  RecordProperty("accepted", accepted);
  RecordProperty("refused", refused);
}

TEST_F(SlidingWindowTest, Convolution) {
  // Rows of a 3x3 convolution of stride 1 with a padding of 1, 14 output rows a tile.
  TensorLayout layout = apply({Primitive::pad(0, 1, 1), Primitive::unfold(0, 16, 14)}, {56});
  FailureOr<WindowedIndex> index = read(layout, makeWindow(56, 1, 3, -1));
  ASSERT_TRUE(succeeded(index)) << messages.last;
  std::string text;
  llvm::raw_string_ostream(text) << index->index[0] << ", " << index->index[1];
  EXPECT_EQ(text, "d0 floordiv 14, d0 mod 14 + d1");
  EXPECT_TRUE(index->conditions.empty());
}

/// The result is stored in tiles of 14 rows and blocks of 16 channels, and the operand in the tiles
/// that these rows need: what reads it has no division left.
TEST_F(SlidingWindowTest, MaterializedConvolution) {
  TensorLayout output =
      apply({Primitive::split(1, {Primitive::kRemainder, 14}),
             Primitive::split(0, {Primitive::kRemainder, 16}), Primitive::reorder({0, 2, 3, 1})},
            {64, 56});
  TensorLayout input =
      apply({Primitive::pad(1, 1, 1), Primitive::unfold(1, 16, 14),
             Primitive::split(0, {Primitive::kRemainder, 8}), Primitive::reorder({0, 2, 3, 1})},
            {32, 56});
  EXPECT_EQ(output.getPhysicalTypeShape(), (SmallVector<int64_t>{4, 4, 14, 16}));
  EXPECT_EQ(input.getPhysicalTypeShape(), (SmallVector<int64_t>{4, 4, 16, 8}));

  // d0 to d3 are the cell, d4 and d5 the reduction over 32 channels and 3 rows.
  GuardedIndex element = output.getElement(makeDims(&context, 4))[0];
  AffineExpr row = element.index[1], channel = dim(4);
  SlidingWindow window = {row, constant(56), dim(5) - 1, 1, -1, 1};
  FailureOr<WindowedIndex> index =
      input.getCellInWindows({channel, row + dim(5) - 1}, {std::nullopt, window}, messages.take());
  ASSERT_TRUE(succeeded(index)) << messages.last;

  SmallVector<te::IndexRange> ranges;
  for (int64_t size : {4, 4, 14, 16, 32, 3})
    ranges.push_back(te::IndexRange::below(constant(size)));
  te::IndexSimplifier simplifier(&context, ranges, {});
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(index->index, os,
                        [&](AffineExpr expr) { os << simplifier.simplify(expr); });
  EXPECT_EQ(text, "d4 floordiv 8, d1, d2 + d5, d4 mod 8");
}

TEST_F(SlidingWindowTest, DynamicCount) {
  TensorLayout layout = apply(Primitive::unfold(0, 6, 4), {ShapedType::kDynamic});
  SlidingWindow window = makeWindow(1, 1, 3);
  window.count = getAffineSymbolExpr(0, &context) - 2;
  FailureOr<WindowedIndex> index = read(layout, window);
  ASSERT_TRUE(succeeded(index)) << messages.last;
  ASSERT_EQ(index->conditions.size(), 1u);
  for (int64_t size = 6; size < 40; ++size)
    EXPECT_GE(evaluate(index->conditions[0].expr, {}, {size}), 0);
}

TEST_F(SlidingWindowTest, Refusals) {
  TensorLayout layout = apply(Primitive::unfold(0, 6, 4), {14});
  auto expect = [&](const SlidingWindow &window, const std::string &message) {
    EXPECT_TRUE(failed(read(layout, window)));
    EXPECT_EQ(messages.last, message);
  };
  expect(makeWindow(4, 3, 3),
         "a read in windows of stride 3 through tiles of size 6 and stride 4: the stride of the "
         "tiles is not a multiple of the stride of the windows");
  expect(makeWindow(11, 1, 4), "a read in windows of stride 1 through tiles of size 6 and stride "
                               "4: the last window of a tile ends at index 6");
  expect(makeWindow(12, 1, 3, -1),
         "a read in windows of stride 1 through tiles of size 6 and stride 4: the first window "
         "begins at index -1: pad the dim before it is unfolded");
  expect(makeWindow(14, 1, 1), "there are fewer tiles than the windows of the read need");
  EXPECT_TRUE(failed(layout.getCellInWindows({dim(0)}, {std::nullopt}, messages.take())));
  EXPECT_EQ(messages.last, "expected windows along one logical dim in the read of an unfolded dim");
}

} // namespace
