//===- Copies.cpp - operators that copy a tensor -===//
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

/// PyTorch's memory formats (c10::MemoryFormat).
enum Format : int64_t { Contiguous, Preserve, ChannelsLast, ChannelsLast3d };

/// Allocates a storage with `contents` whose strides have the same order as those of `like`.
static TensorRef allocateLike(Importer &importer, const Tensor &contents, const TensorRef &like) {
  TensorRef copy = importer.allocate(contents, like.isRowMajor);
  if (!like.isRowMajor)
    keepStrides(importer, Value::tensor(like), copy);
  return copy;
}

/// Returns the strides of this shape in a channels-last format.
static FailureOr<Sizes> getFormatStrides(Importer &importer, ArrayRef<Size> shape, int64_t format) {
  std::optional<Sizes> strides = getChannelsLastStrides(shape);
  int64_t rank = format == ChannelsLast ? 4 : 5;
  if (format > ChannelsLast3d || static_cast<int64_t>(shape.size()) != rank || !strides)
    return importer.b.error("a tensor of rank " + Twine(shape.size()) +
                            " does not have this memory format");
  return *strides;
}

/// Allocates a storage with `contents` in a memory format. With None or Preserve, its strides
/// have the same order as those of `like`.
static FailureOr<TensorRef> allocateIn(Importer &importer, const Tensor &contents,
                                       const TensorRef &like, const Value &format) {
  FailureOr<int64_t> code = format.is(Value::None) ? FailureOr<int64_t>(Preserve)
                                                   : importer.getInt(format, "a memory format");
  if (failed(code))
    return failure();
  if (*code == Preserve)
    return allocateLike(importer, contents, like);
  if (*code == Contiguous)
    return importer.allocate(contents);
  FailureOr<Sizes> strides = getFormatStrides(importer, like.shape, *code);
  if (failed(strides))
    return failure();
  TensorRef copy = importer.allocate(contents, /*isContiguous=*/false);
  copy.strides = *strides;
  return copy;
}

/// _to_copy(self, dtype, layout, device, pin_memory, non_blocking, memory_format)
static FailureOr<Values> buildToCopy(Importer &importer, const Call &call) {
  FailureOr<TensorRef> tensor = importer.getTensor(call[0]);
  if (failed(tensor))
    return failure();
  FailureOr<DType> type = importer.getDType(call[1], tensor->dtype);
  if (failed(type))
    return failure();
  FailureOr<Tensor> converted = importer.convertTo(importer.read(*tensor), *type);
  if (failed(converted))
    return failure();
  return one(allocateIn(importer, *converted, *tensor, call[6]));
}

/// bitcast(self, dtype): the bits of each element as an element of another type of the same width.
static FailureOr<Values> buildBitcast(Importer &importer, const Call &call) {
  FailureOr<TensorRef> tensor = importer.getTensor(call[0]);
  if (failed(tensor))
    return failure();
  DType from = tensor->dtype;
  FailureOr<DType> type = importer.getDType(call[1], from);
  if (failed(type))
    return failure();
  operators::Builder &b = importer.b;
  if (from == DType::Bool || *type == DType::Bool)
    return b.unsupported(Twine("a bit cast of ") + getName(from) + " to " + getName(*type));
  mlir::Builder &ops = b.ops;
  FailureOr<Tensors> cast =
      importer.call("BitCast", 26, importer.read(*tensor),
                    ops.getNamedAttr("to", ops.getI64IntegerAttr(operators::toONNX(*type))));
  if (failed(cast))
    return failure();
  return one(importer.allocate(cast->front()));
}

static FailureOr<Values> buildClone(Importer &importer, const Call &call) {
  FailureOr<TensorRef> tensor = importer.getTensor(call[0]);
  if (failed(tensor))
    return failure();
  return one(allocateIn(importer, importer.read(*tensor), *tensor, call[1]));
}

static FailureOr<Values> buildCopy(Importer &importer, const Call &call) {
  FailureOr<TensorRef> target = importer.getTensor(call[0]);
  FailureOr<Tensor> source = importer.read(call[1]);
  if (failed(target) || failed(source) || failed(importer.write(*target, *source)))
    return failure();
  return Values{call[0]};
}

void registerCopies(OperatorTable &table) {
  table.evaluate("aten::_to_copy", "-", buildToCopy);
  table.evaluate("tssa::bitcast", "-", buildBitcast);
  table.evaluate("aten::clone", "-", buildClone);
  table.evaluate("aten::lift_fresh_copy", "-", buildClone);
  table.evaluate("aten::copy_", "-", buildCopy);
}

} // namespace tssa::pytorch
