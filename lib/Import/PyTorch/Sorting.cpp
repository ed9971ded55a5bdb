//===- Sorting.cpp - operators that sort or search elements -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Import/PyTorch/Operators.h"
#include "tssa/Builder/BodyScalar.h"

using namespace llvm;
using mlir::failure;
using mlir::FailureOr;
using mlir::NamedAttribute;
using tssa::operators::Body;
using tssa::operators::single;

namespace tssa::pytorch {

static NamedAttribute makeInt(Importer &importer, StringRef name, int64_t value) {
  mlir::Builder &ops = importer.b.ops;
  return ops.getNamedAttr(name, ops.getI64IntegerAttr(value));
}

/// Returns the first `count` elements along a dim in sorted order, and their positions. NaN is
/// larger than all numbers, and equal elements keep their order.
static FailureOr<Tensors> order(Importer &importer, const TensorRef &self, int64_t axis,
                                const Size &count, bool isDescending) {
  operators::Builder &b = importer.b;
  bool isBool = self.dtype == DType::Bool;
  Sizes shape = self.rank() == 0 ? Sizes{1} : self.shape;
  FailureOr<Tensor> input = b.reshape(importer.read(self), shape);
  if (succeeded(input) && isBool)
    input = b.cast(*input, DType::U8);
  if (failed(input))
    return failure();
  FailureOr<Tensors> sorted = importer.call(
      "TopK", 11, {*input, b.fromSizes(ArrayRef<Size>(count))},
      {makeInt(importer, "axis", axis), makeInt(importer, "largest", isDescending)}, 2);
  if (failed(sorted))
    return failure();
  for (Tensor &tensor : *sorted) {
    FailureOr<Tensor> result = self.rank() == 0 ? b.reshape(tensor, {}) : tensor;
    if (succeeded(result) && isBool && tensor.dtype() == DType::U8)
      result = b.cast(*result, DType::Bool);
    if (failed(result))
      return failure();
    tensor = *result;
  }
  return sorted;
}

/// sort(self, dim, descending) and sort(self, stable, dim, descending)
static FailureOr<Tensors> buildSort(Importer &importer, const Call &call) {
  size_t dimAt = call.overload == "stable" ? 2 : 1;
  FailureOr<TensorRef> self = importer.getTensor(call[0]);
  if (failed(self))
    return failure();
  FailureOr<int64_t> axis = importer.getDim(call[dimAt], self->rank());
  FailureOr<bool> isDescending = importer.getFlag(call[dimAt + 1], "descending");
  if (failed(axis) || failed(isDescending))
    return failure();
  Size count = self->rank() == 0 ? Size(1) : self->shape[*axis];
  return order(importer, *self, *axis, count, *isDescending);
}

/// topk(self, k, dim, largest, sorted)
static FailureOr<Tensors> buildTopK(Importer &importer, const Call &call) {
  FailureOr<TensorRef> self = importer.getTensor(call[0]);
  FailureOr<Size> count = importer.getSize(call[1]);
  FailureOr<bool> isLargest = importer.getFlag(call[3], "largest");
  if (failed(self) || failed(count) || failed(isLargest))
    return failure();
  FailureOr<int64_t> axis = importer.getDim(call[2], self->rank());
  if (failed(axis))
    return failure();
  if (self->rank() == 0 && !count->isConstant(1))
    return importer.b.unsupported("topk of a tensor without dims");
  return order(importer, *self, *axis, *count, *isLargest);
}

/// nonzero(self): returns a row of indexes for each element that is not 0, in order. As in eager
/// PyTorch, the result is stored by columns.
static FailureOr<Values> buildNonZero(Importer &importer, const Call &call) {
  FailureOr<TensorRef> self = importer.getTensor(call[0]);
  if (failed(self))
    return failure();
  operators::Builder &b = importer.b;
  Tensor input = importer.read(*self);
  FailureOr<Tensor> withDims = self->rank() == 0 ? b.reshape(input, Size(1)) : input;
  if (failed(withDims))
    return failure();
  FailureOr<Tensors> positions = importer.call("NonZero", 13, *withDims);
  if (failed(positions))
    return failure();
  // For a tensor of rank 0, rows have no indexes.
  FailureOr<Tensor> rows = self->rank() == 0
                               ? b.fill(DType::I64, {positions->front().dim(1), Size(0)}, 0)
                               : b.transpose(positions->front(), {1, 0});
  if (failed(rows))
    return failure();
  TensorRef result = importer.allocate(*rows, /*isContiguous=*/false);
  result.strides = Sizes{1, result.shape.front()};
  return Values{Value::tensor(result)};
}

/// Returns an empty tensor, for a result that is not requested.
static FailureOr<Tensor> makeNothing(Importer &importer) {
  return importer.b.fill(DType::I64, Size(0), 0);
}

/// Returns the results of `Unique` as (values, inverse, counts).
static FailureOr<Tensors> findUnique(Importer &importer, const TensorRef &self,
                                     ArrayRef<NamedAttribute> attributes, ArrayRef<Size> shape,
                                     bool hasInverse, bool hasCounts) {
  operators::Builder &b = importer.b;
  bool isBool = self.dtype == DType::Bool;
  Tensor input = importer.read(self);
  FailureOr<Tensor> bytes = isBool ? b.cast(input, DType::U8) : FailureOr<Tensor>(input);
  if (failed(bytes))
    return failure();
  FailureOr<Tensors> found = importer.call("Unique", 11, *bytes, attributes, 4);
  if (failed(found))
    return failure();
  FailureOr<Tensor> values = isBool ? b.cast((*found)[0], DType::Bool) : (*found)[0];
  FailureOr<Tensor> inverse = hasInverse ? b.reshape((*found)[2], shape) : makeNothing(importer);
  FailureOr<Tensor> counts = hasCounts ? (*found)[3] : makeNothing(importer);
  if (failed(values) || failed(inverse) || failed(counts))
    return failure();
  return Tensors{*values, *inverse, *counts};
}

/// _unique2(self, sorted, return_inverse, return_counts)
static FailureOr<Tensors> buildUnique(Importer &importer, const Call &call) {
  FailureOr<TensorRef> self = importer.getTensor(call[0]);
  FailureOr<bool> hasInverse = importer.getFlag(call[2], "return_inverse");
  FailureOr<bool> hasCounts = importer.getFlag(call[3], "return_counts");
  if (failed(self) || failed(hasInverse) || failed(hasCounts))
    return failure();
  return findUnique(importer, *self, makeInt(importer, "sorted", 1), self->shape, *hasInverse,
                    *hasCounts);
}

/// unique_dim(self, dim, sorted, return_inverse, return_counts)
static FailureOr<Tensors> buildUniqueDim(Importer &importer, const Call &call) {
  FailureOr<TensorRef> self = importer.getTensor(call[0]);
  FailureOr<bool> hasInverse = importer.getFlag(call[3], "return_inverse");
  FailureOr<bool> hasCounts = importer.getFlag(call[4], "return_counts");
  if (failed(self) || failed(hasInverse) || failed(hasCounts))
    return failure();
  FailureOr<int64_t> axis = importer.getDim(call[1], self->rank());
  if (failed(axis))
    return failure();
  if (self->rank() == 0)
    return importer.b.unsupported("a tensor without dims");
  return findUnique(importer, *self,
                    {makeInt(importer, "sorted", 1), makeInt(importer, "axis", *axis)},
                    self->shape[*axis], *hasInverse, *hasCounts);
}

void registerSorting(OperatorTable &table) {
  table.compute("aten::sort", "- stable", buildSort);
  table.compute("aten::topk", "-", buildTopK, Layout::Contiguous);
  table.evaluate("aten::nonzero", "-", buildNonZero);
  table.compute("aten::_unique2", "-", buildUnique, Layout::Contiguous);
  table.compute("aten::unique_dim", "-", buildUniqueDim, Layout::Contiguous);
}

} // namespace tssa::pytorch
