//===- StackedSequences.cpp - sequences with parts of one shape -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/ONNX/StackedSequences.h"
#include "tssa/Builder/LoopBuilder.h"

using namespace mlir;

namespace tssa::operators {

/// Requires that the shapes of two parts are equal. A list may have parts of several shapes, so
/// parts that are known to differ are not an error of the model.
static LogicalResult requireOneShape(Builder &builder, const Tensor &left, const Tensor &right) {
  bool differ = left.rank() != right.rank();
  if (!differ)
    for (auto [l, r] : llvm::zip_equal(left.shape(), right.shape()))
      differ |= l.differs(r);
  if (differ)
    return builder.unsupported(
        "a sequence whose length or position only a run knows needs parts of one shape, got " +
        left.str() + " and " + right.str() +
        "; pad the parts, or compile for known sizes and positions");
  for (auto [l, r] : llvm::zip_equal(left.shape(), right.shape()))
    if (failed(builder.requireEqual(l, r, "parts of a sequence whose length only a run knows")))
      return failure();
  return success();
}

/// Returns `part` as the only row.
static FailureOr<Tensor> asRow(Builder &builder, const Tensor &part) {
  SmallVector<Size> shape(part.shape());
  shape.insert(shape.begin(), Size(1));
  return builder.reshape(part, shape);
}

FailureOr<Tensor> stackParts(Builder &builder, ArrayRef<Tensor> parts) {
  Tensors rows;
  for (const Tensor &part : parts) {
    if (failed(requireOneShape(builder, parts.front(), part)))
      return failure();
    FailureOr<Tensor> row = asRow(builder, part);
    if (failed(row))
      return failure();
    rows.push_back(*row);
  }
  return builder.concat(rows, 0);
}

FailureOr<Tensor> toRows(Builder &builder, const Tensor &sequence) {
  if (sequence.isStacked())
    return sequence.rows();
  if (sequence.elements().empty())
    return builder.error("the sequence is empty");
  return stackParts(builder, sequence.elements());
}

FailureOr<Tensor> joinRows(Builder &builder, ArrayRef<Tensor> rows) {
  auto getPart = [](const Tensor &tensor) {
    return Tensor(tensor.dtype(), tensor.shape().drop_front());
  };
  for (const Tensor &tensor : rows)
    if (failed(requireOneShape(builder, getPart(rows.front()), getPart(tensor))))
      return failure();
  return builder.concat(rows, 0);
}

FailureOr<Tensor> splitIntoRows(Builder &builder, const Tensor &x, int64_t axis,
                                const Size &length) {
  const Size &extent = x.dim(axis);
  std::optional<Size> exact = extent.divideExactly(length);
  Size count = exact ? *exact : extent.floorDiv(length);
  if (!exact && failed(builder.requireEqual(
                    count * length, extent,
                    "a dim of open size is split into parts of one size (give its size when the "
                    "model is compiled if the last part is shorter)")))
    return failure();
  SmallVector<Size> shape(x.shape());
  shape[axis] = length;
  shape.insert(shape.begin(), count);
  return builder.compute(x.dtype(), shape, [&](Body &body) {
    SmallVector<AffineExpr> at = body.dims(1, shape.size());
    at[axis] = body.dim(0) * body.size(length) + at[axis];
    return body.read(x, at);
  });
}

FailureOr<Tensor> concatRows(Builder &builder, const Tensor &rows, int64_t axis, bool isNew) {
  const Size &count = rows.dim(0);
  if (failed(builder.require(builder.isLess(0, count), "the sequence is empty")))
    return failure();
  auto permutation = llvm::to_vector(llvm::seq<int64_t>(1, rows.rank()));
  permutation.insert(permutation.begin() + axis, 0);
  FailureOr<Tensor> moved = builder.transpose(rows, permutation);
  if (failed(moved) || isNew)
    return moved;
  SmallVector<Size> shape(rows.shape().drop_front());
  shape[axis] = shape[axis] * count;
  return builder.reshape(*moved, shape);
}

FailureOr<Size> getRowPosition(Builder &builder, const Tensor &given, const Size &limit,
                               const Size &length) {
  FailureOr<Size> position = builder.requireSize(given, "a position in a sequence");
  if (failed(position))
    return failure();
  std::string text =
      "position " + position->str() + " in a sequence of " + length.str() + " is out of range";
  // No sequence is that long, and an index expression has no such constants.
  constexpr int64_t least = -(int64_t(1) << 62);
  if (std::optional<int64_t> known = position->constant(); known && *known < least)
    return builder.error(text);
  Size index = builder.select(builder.isLess(*position, 0), *position + length, *position);
  if (failed(builder.require(builder.isLess(-1, index), text)) ||
      failed(builder.require(builder.isLess(index, limit), text)))
    return failure();
  return index;
}

FailureOr<Tensor> getRow(Builder &builder, const Tensor &rows, const Size &position) {
  FailureOr<Tensor> row = builder.slice(rows, 0, position, 1);
  if (failed(row))
    return failure();
  return builder.reshape(*row, rows.shape().drop_front());
}

FailureOr<Tensor> replaceRows(Builder &builder, const Tensor &rows, const Size &position,
                              int64_t removed, const Tensor &inserted) {
  Size rest = position + removed;
  FailureOr<Tensor> before = builder.slice(rows, 0, 0, position);
  FailureOr<Tensor> after = builder.slice(rows, 0, rest, rows.dim(0) - rest);
  if (failed(before) || failed(after))
    return failure();
  if (!inserted)
    return builder.concat({*before, *after}, 0);
  FailureOr<Tensor> row = asRow(builder, inserted);
  if (failed(row))
    return failure();
  return joinRows(builder, {*before, *row, *after});
}

FailureOr<Tensors> mapRows(Builder &builder, Subgraph &body, ArrayRef<Tensor> inputs,
                           ArrayRef<bool> areRows) {
  LoopSpec spec(body, {});
  for (auto [input, isRows] : llvm::zip_equal(inputs, areRows)) {
    if (!isRows)
      continue;
    spec.count = spec.count.value_or(input.dim(0));
    if (failed(builder.requireEqual(*spec.count, input.dim(0), "lengths of the sequences")))
      return failure();
  }
  spec.makeInputs = [&](const Size &position, ArrayRef<Tensor>) -> FailureOr<Tensors> {
    Tensors parts;
    for (auto [input, isRows] : llvm::zip_equal(inputs, areRows)) {
      FailureOr<Tensor> part = isRows ? getRow(builder, input, position) : input;
      if (failed(part))
        return failure();
      parts.push_back(*part);
    }
    return parts;
  };
  return LoopBuilder(builder, spec).run();
}

} // namespace tssa::operators
