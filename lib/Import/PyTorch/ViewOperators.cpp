//===- ViewOperators.cpp - operators that return views -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Import/PyTorch/Operators.h"
#include "lib/Import/PyTorch/Views.h"

using namespace llvm;
using mlir::failure;
using mlir::FailureOr;

namespace tssa::pytorch {

/// Returns the result list of an operator with one result.
static FailureOr<Values> one(FailureOr<TensorRef> tensor) {
  if (failed(tensor))
    return failure();
  return Values{Value::tensor(*tensor)};
}

/// The function of an operator on a tensor and one of its dims.
using DimFn = FailureOr<Values> (*)(Importer &, const Call &, const TensorRef &, int64_t dim);

/// Calls `fn` with the dim in argument `position`. The dim may be up to `extra` greater than the
/// last dim.
template <DimFn fn, unsigned position = 1, unsigned extra = 0>
static FailureOr<Values> withDim(Importer &importer, const Call &call) {
  FailureOr<TensorRef> tensor = importer.getTensor(call[0]);
  if (failed(tensor))
    return failure();
  FailureOr<int64_t> dim = importer.getDim(call[position], tensor->rank() + extra);
  if (failed(dim))
    return failure();
  if (tensor->rank() + extra == 0)
    return importer.b.error("expected a tensor with dims, got one without");
  return fn(importer, call, *tensor, *dim);
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

static FailureOr<Values> buildSelect(Importer &importer, const Call &call, const TensorRef &tensor,
                                     int64_t dim) {
  FailureOr<Size> index = importer.getSize(call[2]);
  if (failed(index))
    return failure();
  return one(select(importer, tensor, dim, *index));
}

static FailureOr<Values> buildSlice(Importer &importer, const Call &call, const TensorRef &tensor,
                                    int64_t dim) {
  Size begin = 0, end = tensor.shape[dim];
  for (auto [value, bound] : {std::pair(&call[2], &begin), {&call[3], &end}}) {
    if (value->is(Value::None))
      continue;
    FailureOr<Size> size = importer.getSize(*value);
    if (failed(size))
      return failure();
    if (!size->isConstant(INT64_MAX))
      *bound = *size;
  }
  FailureOr<int64_t> step = importer.getInt(call[4], "the step of a slice");
  if (failed(step))
    return failure();
  if (*step < 1)
    return importer.b.error("the step of a slice must be at least 1, got " + Twine(*step));
  return one(slice(importer, tensor, dim, begin, end, *step));
}

static FailureOr<Values> buildNarrow(Importer &importer, const Call &call, const TensorRef &tensor,
                                     int64_t dim) {
  FailureOr<Size> begin = importer.getSize(call[2]), length = importer.getSize(call[3]);
  if (failed(begin) || failed(length))
    return failure();
  operators::Builder &b = importer.b;
  const Size &extent = tensor.shape[dim];
  std::optional<bool> isFromFront = importer.guards.isAtMost(0, *begin);
  if (isFromFront == false)
    begin = *begin + extent;
  else if (!isFromFront)
    begin = b.select(b.isLess(*begin, 0), *begin + extent, *begin);
  Size end = *begin + *length;
  auto text = "narrow: elements " + begin->str() + " to " + end.str() + " of " + extent.str();
  // What must hold for a narrow to be inside: each pair is in order.
  for (auto [low, high] : {std::pair<Size, Size>(0, *begin), {0, *length}, {end, extent}}) {
    std::optional<bool> holds = importer.guards.isAtMost(low, high);
    if (holds == false)
      return b.error(text);
    if (!holds && failed(b.require(b.isLess(low, high + 1), text)))
      return failure();
  }
  return one(slice(importer, tensor, dim, *begin, end));
}

/// Splits a dim into consecutive parts of the given lengths.
static Values cut(Importer &importer, const TensorRef &tensor, int64_t dim,
                  ArrayRef<Size> lengths) {
  Values parts;
  Size begin = 0;
  for (const Size &length : lengths) {
    parts.push_back(Value::tensor(slice(importer, tensor, dim, begin, begin + length)));
    begin = begin + length;
  }
  return {Value::list(parts)};
}

/// Splits a dim into parts of `length` elements; the last one may have fewer. The number of parts
/// must be known.
static FailureOr<Values> cutEvenly(Importer &importer, const TensorRef &tensor, int64_t dim,
                                   const Size &length) {
  const Size &extent = tensor.shape[dim];
  Sizes lengths;
  Size rest = extent;
  while (true) {
    std::optional<bool> isLast = importer.guards.isAtMost(rest, length);
    if (!isLast || lengths.size() > 1024)
      return importer.needsKnown("the number of parts");
    lengths.push_back(*isLast ? rest : length);
    if (*isLast)
      return cut(importer, tensor, dim, lengths);
    rest = rest - length;
  }
}

static FailureOr<Values> buildSplit(Importer &importer, const Call &call, const TensorRef &tensor,
                                    int64_t dim) {
  if (call[1].isSequence()) {
    FailureOr<Sizes> lengths = importer.getSizes(call[1]);
    if (failed(lengths))
      return failure();
    Size sum = 0;
    for (const Size &length : *lengths)
      sum = sum + length;
    if (failed(importer.requireEqual(sum, tensor.shape[dim], "sum of the parts")))
      return failure();
    return cut(importer, tensor, dim, *lengths);
  }
  FailureOr<Size> length = importer.getSize(call[1]);
  if (failed(length))
    return failure();
  if (length->isAtMost(0))
    return importer.b.error("split: expected parts of at least one element");
  return cutEvenly(importer, tensor, dim, *length);
}

//===----------------------------------------------------------------------===//
// Dims
//===----------------------------------------------------------------------===//

static FailureOr<Values> buildPermute(Importer &importer, const Call &call) {
  FailureOr<TensorRef> tensor = importer.getTensor(call[0]);
  FailureOr<SmallVector<int64_t>> dims = importer.getInts(call[1], "a dim");
  if (failed(tensor) || failed(dims))
    return failure();
  FailureOr<SmallVector<int64_t>> permutation = importer.b.normalizeAxes(*dims, tensor->rank());
  if (failed(permutation))
    return failure();
  if (static_cast<int64_t>(permutation->size()) != tensor->rank())
    return importer.b.error("permute: expected " + Twine(tensor->rank()) + " dims, got " +
                            Twine(permutation->size()));
  return one(permute(importer, *tensor, *permutation));
}

static FailureOr<Values> swapDims(Importer &importer, const TensorRef &tensor, int64_t left,
                                  int64_t right) {
  SmallVector<int64_t> permutation = llvm::to_vector(llvm::seq<int64_t>(0, tensor.rank()));
  std::swap(permutation[left], permutation[right]);
  return one(permute(importer, tensor, permutation));
}

static FailureOr<Values> buildTranspose(Importer &importer, const Call &call) {
  FailureOr<TensorRef> tensor = importer.getTensor(call[0]);
  if (failed(tensor))
    return failure();
  FailureOr<int64_t> left = importer.getDim(call[1], tensor->rank());
  FailureOr<int64_t> right = importer.getDim(call[2], tensor->rank());
  if (failed(left) || failed(right))
    return failure();
  return tensor->rank() < 2 ? one(*tensor) : swapDims(importer, *tensor, *left, *right);
}

static FailureOr<Values> buildT(Importer &importer, const Call &call) {
  FailureOr<TensorRef> tensor = importer.getTensor(call[0]);
  if (failed(tensor))
    return failure();
  if (tensor->rank() > 2)
    return importer.b.error("t: expected at most 2 dims, got " + Twine(tensor->rank()));
  return tensor->rank() < 2 ? one(*tensor) : swapDims(importer, *tensor, 0, 1);
}

static FailureOr<Values> buildUnsqueeze(Importer &importer, const Call &, const TensorRef &tensor,
                                        int64_t dim) {
  return one(unsqueeze(importer, tensor, dim));
}

/// Removes the dims of size 1 among `dims`. If it is not known whether a size is 1, the example
/// decides, and a guard checks the same in each call.
static FailureOr<Values> squeezeDims(Importer &importer, TensorRef tensor, ArrayRef<int64_t> dims) {
  for (int64_t dim = tensor.rank() - 1; dim >= 0; --dim) {
    if (!llvm::is_contained(dims, dim))
      continue;
    std::optional<bool> isOne = importer.guards.isEqual(tensor.shape[dim], 1);
    if (!isOne)
      return importer.needsKnown("whether a dim has size 1");
    if (*isOne)
      tensor = squeeze(importer, tensor, dim);
  }
  return one(tensor);
}

static FailureOr<Values> buildSqueeze(Importer &importer, const Call &call) {
  FailureOr<TensorRef> tensor = importer.getTensor(call[0]);
  if (failed(tensor))
    return failure();
  if (call.size() < 2)
    return squeezeDims(importer, *tensor, llvm::to_vector(llvm::seq<int64_t>(0, tensor->rank())));
  FailureOr<SmallVector<int64_t>> dims = importer.getInts(call[1], "a dim");
  if (failed(dims))
    return failure();
  FailureOr<SmallVector<int64_t>> axes = importer.b.normalizeAxes(*dims, tensor->rank());
  if (failed(axes))
    return failure();
  return squeezeDims(importer, *tensor, *axes);
}

static FailureOr<Values> buildExpand(Importer &importer, const Call &call) {
  FailureOr<TensorRef> tensor = importer.getTensor(call[0]);
  if (failed(tensor))
    return failure();
  FailureOr<Sizes> shape = importer.getSizes(call[1]);
  if (failed(shape))
    return failure();
  return one(expand(importer, *tensor, *shape));
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

static FailureOr<Values> buildView(Importer &importer, const Call &call) {
  FailureOr<TensorRef> tensor = importer.getTensor(call[0]);
  if (failed(tensor))
    return failure();
  FailureOr<Sizes> shape = importer.getSizes(call[1]);
  if (failed(shape))
    return failure();
  return one(reshape(importer, *tensor, *shape));
}

static FailureOr<Values> buildSame(Importer &, const Call &call) { return Values{call[0]}; }

void registerViews(OperatorTable &table) {
  table.evaluate("aten::select", "int", withDim<buildSelect>);
  table.evaluate("aten::slice", "Tensor", withDim<buildSlice>);
  table.evaluate("aten::narrow", "-", withDim<buildNarrow>);
  table.evaluate("aten::split", "Tensor", withDim<buildSplit, 2>);
  table.evaluate("aten::split_with_sizes", "-", withDim<buildSplit, 2>);
  table.evaluate("aten::permute", "-", buildPermute);
  table.evaluate("aten::transpose", "int", buildTranspose);
  table.evaluate("aten::t", "-", buildT);
  table.evaluate("aten::unsqueeze", "-", withDim<buildUnsqueeze, 1, 1>);
  table.evaluate("aten::squeeze", "- dim dims", buildSqueeze);
  table.evaluate("aten::expand", "-", buildExpand);
  table.evaluate("tssa::view", "-", buildView);
  table.evaluate("aten::detach", "-", buildSame);
  table.evaluate("aten::alias", "-", buildSame);
}

} // namespace tssa::pytorch
