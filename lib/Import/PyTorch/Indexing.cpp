//===- Indexing.cpp - operators that move elements -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Import/PyTorch/Operators.h"
#include "lib/Import/PyTorch/Promotion.h"
#include "tssa/Builder/BodyScalar.h"

using namespace llvm;
using mlir::failure;
using mlir::FailureOr;
using tssa::operators::Body;
using tssa::operators::single;

namespace tssa::pytorch {

//===----------------------------------------------------------------------===//
// Concatenation
//===----------------------------------------------------------------------===//

/// Returns the tensors of a list, converted to their common type.
static FailureOr<SmallVector<Tensor>> readList(Importer &importer, const Value &list) {
  FailureOr<SmallVector<TensorRef>> refs = importer.getTensors(list);
  if (failed(refs))
    return failure();
  if (refs->empty())
    return importer.b.error("expected at least one tensor");
  ResultType common;
  for (const TensorRef &ref : *refs)
    common.addTensor(ref.dtype, ref.rank() > 0);
  std::optional<DType> type = common.get();
  if (!type)
    return importer.b.error("the tensors have no common type");
  SmallVector<Tensor> tensors;
  for (const TensorRef &ref : *refs) {
    FailureOr<Tensor> tensor = importer.b.cast(importer.read(ref), *type);
    if (failed(tensor))
      return failure();
    tensors.push_back(*tensor);
  }
  return tensors;
}

/// Requires that all dims but `axis` have the same sizes as in the first tensor, and gives the
/// tensors these sizes.
static mlir::LogicalResult alignShapes(Importer &importer, MutableArrayRef<Tensor> tensors,
                                       std::optional<int64_t> axis) {
  const Tensor &first = tensors.front();
  for (Tensor &tensor : tensors.drop_front()) {
    if (tensor.rank() != first.rank())
      return importer.b.error("expected tensors of one rank, got " + Twine(first.rank()) + " and " +
                              Twine(tensor.rank()));
    Sizes shape(tensor.shape());
    for (int64_t dim = 0; dim < tensor.rank(); ++dim) {
      if (dim == axis)
        continue;
      if (failed(importer.requireEqual(first.dim(dim), shape[dim], "dim " + Twine(dim))))
        return failure();
      if (!shape[dim].constant())
        shape[dim] = first.dim(dim);
    }
    tensor = importer.b.wrap(importer.b.value(tensor), tensor.dtype(), shape);
  }
  return mlir::success();
}

/// Returns whether `tensor` is a 1-D tensor without elements, which legacy code may concatenate
/// with tensors of any shape.
static bool isLegacyEmpty(const Tensor &tensor) {
  return tensor.rank() == 1 && tensor.dim(0).isConstant(0);
}

static FailureOr<Tensors> buildCat(Importer &importer, const Call &call) {
  FailureOr<SmallVector<Tensor>> tensors = readList(importer, call[0]);
  if (failed(tensors))
    return failure();
  if (!llvm::all_of(*tensors, isLegacyEmpty))
    llvm::erase_if(*tensors, isLegacyEmpty);
  FailureOr<int64_t> axis = importer.getDim(call[1], tensors->front().rank());
  if (failed(axis))
    return failure();
  if (tensors->front().rank() == 0)
    return importer.b.error("cat: expected tensors with dims");
  if (failed(alignShapes(importer, *tensors, *axis)))
    return failure();
  return single(importer.b.concat(*tensors, *axis));
}

static FailureOr<Tensors> buildStack(Importer &importer, const Call &call) {
  FailureOr<SmallVector<Tensor>> tensors = readList(importer, call[0]);
  if (failed(tensors))
    return failure();
  FailureOr<int64_t> axis = importer.getDim(call[1], tensors->front().rank() + 1);
  if (failed(axis) || failed(alignShapes(importer, *tensors, std::nullopt)))
    return failure();
  Sizes shape(tensors->front().shape());
  shape.insert(shape.begin() + *axis, Size(1));
  for (Tensor &tensor : *tensors) {
    FailureOr<Tensor> row = importer.b.reshape(tensor, shape);
    if (failed(row))
      return failure();
    tensor = *row;
  }
  return single(importer.b.concat(*tensors, *axis));
}

//===----------------------------------------------------------------------===//
// Moving
//===----------------------------------------------------------------------===//

static FailureOr<Tensors> buildFlip(Importer &importer, const Call &call) {
  FailureOr<Tensor> self = importer.read(call[0]);
  FailureOr<SmallVector<int64_t>> dims = importer.getInts(call[1], "a dim");
  if (failed(self) || failed(dims))
    return failure();
  FailureOr<SmallVector<int64_t>> axes = importer.b.normalizeAxes(*dims, self->rank());
  if (failed(axes))
    return failure();
  return single(importer.b.compute(self->dtype(), self->shape(), [&](Body &body) {
    SmallVector<mlir::AffineExpr> at = body.dims(0, self->rank());
    for (int64_t axis : *axes)
      at[axis] = body.size(self->dim(axis)) - 1 - at[axis];
    return body.read(*self, at);
  }));
}

/// repeat(self, repeats): multiplies the sizes by the counts; additional counts add dims in front.
static FailureOr<Tensors> buildRepeat(Importer &importer, const Call &call) {
  FailureOr<Tensor> self = importer.read(call[0]);
  FailureOr<Sizes> counts = importer.getSizes(call[1]);
  if (failed(self) || failed(counts))
    return failure();
  int64_t added = static_cast<int64_t>(counts->size()) - self->rank();
  if (added < 0)
    return importer.b.error("repeat: expected at least one count per dim");
  Sizes shape(*counts);
  for (int64_t dim = 0; dim < self->rank(); ++dim)
    shape[added + dim] = shape[added + dim] * self->dim(dim);
  for (const Size &size : shape)
    if (size.isAtMost(-1))
      return importer.b.error("repeat: a count is negative");
  return single(importer.b.compute(self->dtype(), shape, [&](Body &body) {
    SmallVector<mlir::AffineExpr> at = body.dims(added, shape.size());
    for (int64_t dim = 0; dim < self->rank(); ++dim)
      if (!(*counts)[added + dim].isConstant(1))
        at[dim] = at[dim] % body.size(self->dim(dim));
    return body.read(*self, at);
  }));
}

//===----------------------------------------------------------------------===//
// Tensors of indexes
//===----------------------------------------------------------------------===//

/// Reads indexes that must not be negative. They are read as unsigned numbers, so that the bounds
/// check refuses negative indexes as too large.
static FailureOr<Tensor> readIndexes(Importer &importer, const Value &value) {
  FailureOr<TensorRef> ref = importer.getTensor(value);
  if (failed(ref))
    return failure();
  if (!operators::isInteger(ref->dtype))
    return importer.b.error(Twine("expected integers as indexes, got ") + getName(ref->dtype));
  return importer.b.cast(importer.read(*ref), DType::U64);
}

static FailureOr<Tensor> gather(Importer &importer, const Tensor &data, const Tensor &indexes,
                                int64_t axis) {
  mlir::Builder &ops = importer.b.ops;
  FailureOr<Tensors> result = importer.call("Gather", 13, {data, indexes},
                                            ops.getNamedAttr("axis", ops.getI64IntegerAttr(axis)));
  if (failed(result))
    return failure();
  return result->front();
}

/// index_select(self, dim, index)
static FailureOr<Tensors> buildIndexSelect(Importer &importer, const Call &call) {
  FailureOr<Tensor> self = importer.read(call[0]);
  if (failed(self))
    return failure();
  FailureOr<int64_t> axis = importer.getDim(call[1], self->rank());
  FailureOr<Tensor> indexes = readIndexes(importer, call[2]);
  if (failed(axis) || failed(indexes))
    return failure();
  if (self->rank() > 0 && indexes->rank() > 0)
    return single(gather(importer, *self, *indexes, *axis));
  // A tensor of rank 0 is treated as one element, and the result has rank 0.
  FailureOr<Tensor> source = self->rank() == 0 ? importer.b.reshape(*self, Size(1)) : *self;
  FailureOr<Tensor> positions = importer.b.reshape(*indexes, Size(1));
  if (failed(source) || failed(positions))
    return failure();
  FailureOr<Tensor> selected = gather(importer, *source, *positions, *axis);
  if (failed(selected) || self->rank() > 0)
    return single(selected);
  return single(importer.b.reshape(*selected, {}));
}

/// embedding(weight, indices, ...).
static FailureOr<Tensors> buildEmbedding(Importer &importer, const Call &call) {
  FailureOr<Tensor> weight = importer.read(call[0]), indexes = readIndexes(importer, call[1]);
  if (failed(weight) || failed(indexes))
    return failure();
  return single(gather(importer, *weight, *indexes, 0));
}

void registerIndexing(OperatorTable &table) {
  table.compute("aten::cat", "-", buildCat);
  table.compute("aten::stack", "-", buildStack);
  table.compute("aten::flip", "-", buildFlip);
  table.compute("aten::repeat", "-", buildRepeat, Layout::Contiguous);
  table.compute("aten::index_select", "-", buildIndexSelect);
  table.compute("aten::embedding", "-", buildEmbedding, Layout::Contiguous);
}

} // namespace tssa::pytorch
