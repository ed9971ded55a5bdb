//===- Factories.cpp - operators that create tensors -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Import/PyTorch/Operators.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tssa/Builder/BodyScalar.h"

#include <cmath>

using namespace llvm;
using mlir::failure;
using mlir::FailureOr;
using tssa::operators::Body;
using tssa::operators::Scalar;
using tssa::operators::single;

namespace tssa::pytorch {

static mlir::LogicalResult checkSizes(Importer &importer, ArrayRef<Size> shape) {
  for (const Size &size : shape)
    if (size.isAtMost(-1))
      return importer.b.error("a size is negative: " + size.str());
  return mlir::success();
}

/// Returns a tensor filled with one number, which need not be known at import.
static FailureOr<Tensors> fill(Importer &importer, DType type, ArrayRef<Size> shape,
                               const Value &value) {
  if (failed(checkSizes(importer, shape)))
    return failure();
  return single(importer.b.compute(
      type, shape, [&](Body &body) { return makeScalar(importer, body, value, type).getValue(); }));
}

/// Returns the default type of a tensor that is created from a number.
static DType getDefault(const Value &value) {
  return value.is(Value::Float) ? DType::F32 : value.is(Value::Bool) ? DType::Bool : DType::I64;
}

/// zeros(size, dtype, ...), ones and empty; empty is filled with 0, too.
template <int number>
static FailureOr<Tensors> buildConstant(Importer &importer, const Call &call) {
  FailureOr<Sizes> shape = importer.getSizes(call[0]);
  FailureOr<DType> type = importer.getDType(call[1], DType::F32);
  if (failed(shape) || failed(type))
    return failure();
  return fill(importer, *type, *shape, Value::integer(number));
}

static FailureOr<Tensors> buildFull(Importer &importer, const Call &call) {
  FailureOr<Sizes> shape = importer.getSizes(call[0]);
  FailureOr<DType> type = importer.getDType(call[2], getDefault(call[1]));
  if (failed(shape) || failed(type))
    return failure();
  return fill(importer, *type, *shape, call[1]);
}

/// zeros_like(self, dtype, ...).
template <int number> static FailureOr<Tensors> buildLike(Importer &importer, const Call &call) {
  FailureOr<TensorRef> self = importer.getTensor(call[0]);
  if (failed(self))
    return failure();
  FailureOr<DType> type = importer.getDType(call[1], self->dtype);
  if (failed(type))
    return failure();
  return fill(importer, *type, self->shape, Value::integer(number));
}

static FailureOr<Tensors> buildFullLike(Importer &importer, const Call &call) {
  FailureOr<TensorRef> self = importer.getTensor(call[0]);
  if (failed(self))
    return failure();
  FailureOr<DType> type = importer.getDType(call[2], self->dtype);
  if (failed(type))
    return failure();
  return fill(importer, *type, self->shape, call[1]);
}

/// new_zeros(self, size, dtype, ...).
template <int number> static FailureOr<Tensors> buildNew(Importer &importer, const Call &call) {
  FailureOr<TensorRef> self = importer.getTensor(call[0]);
  FailureOr<Sizes> shape = importer.getSizes(call[1]);
  if (failed(self) || failed(shape))
    return failure();
  FailureOr<DType> type = importer.getDType(call[2], self->dtype);
  if (failed(type))
    return failure();
  return fill(importer, *type, *shape, Value::integer(number));
}

static FailureOr<Tensors> buildNewFull(Importer &importer, const Call &call) {
  FailureOr<TensorRef> self = importer.getTensor(call[0]);
  FailureOr<Sizes> shape = importer.getSizes(call[1]);
  if (failed(self) || failed(shape))
    return failure();
  FailureOr<DType> type = importer.getDType(call[3], self->dtype);
  if (failed(type))
    return failure();
  return fill(importer, *type, *shape, call[2]);
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

/// Returns the number of elements of a range.
static FailureOr<Size> countRange(Importer &importer, const Value &start, const Value &end,
                                  const Value &step) {
  if (!start.is(Value::Float) && !end.is(Value::Float) && !step.is(Value::Float)) {
    FailureOr<Size> low = importer.getSize(start), high = importer.getSize(end);
    FailureOr<int64_t> stride = importer.getInt(step, "the step of arange");
    if (failed(low) || failed(high) || failed(stride))
      return failure();
    if (*stride == 0)
      return importer.b.error("arange: the step is 0");
    Size distance = *stride > 0 ? *high - *low : *low - *high;
    if (distance.isAtMost(-1))
      return importer.b.error("arange: the bounds and the step do not agree");
    return Size::max(distance.ceilDiv(std::abs(*stride)), 0);
  }
  std::optional<double> low = start.getConstant(), high = end.getConstant(),
                        stride = step.getConstant();
  if (!low || !high || !stride)
    return importer.needsKnown("floats of arange");
  double count = std::ceil((*high - *low) / *stride);
  if (!(count >= 0) || count > 1e15)
    return importer.b.error("arange: the bounds and the step do not agree");
  return Size(static_cast<int64_t>(count));
}

/// Rounds the bounds of a range of 64-bit integers towards zero, as PyTorch does before it counts
/// the elements.
static mlir::LogicalResult truncateBounds(Importer &importer, ArrayRef<Value *> bounds) {
  constexpr double limit = 9e18;
  for (Value *bound : bounds) {
    std::optional<double> number = bound->getConstant();
    if (!number)
      continue;
    if (!(std::abs(*number) < limit))
      return importer.b.error("arange: expected bounds of at most 64 bits");
    *bound = Value::integer(static_cast<int64_t>(*number));
  }
  return mlir::success();
}

static FailureOr<Tensors> buildArange(Importer &importer, const Call &call) {
  Value start = Value::integer(0), end = call[0], step = Value::integer(1);
  size_t dtypeAt = 1;
  if (call.overload != "") {
    start = call[0];
    end = call[1];
    dtypeAt = 2;
  }
  if (call.overload == "start_step") {
    step = call[2];
    dtypeAt = 3;
  }
  bool isFloat = start.is(Value::Float) || end.is(Value::Float) || step.is(Value::Float);
  FailureOr<DType> type = importer.getDType(call[dtypeAt], isFloat ? DType::F32 : DType::I64);
  if (failed(type))
    return failure();
  if (*type == DType::I64 && isFloat && failed(truncateBounds(importer, {&start, &end, &step})))
    return failure();
  FailureOr<Size> count = countRange(importer, start, end, step);
  if (failed(count))
    return failure();
  // Float elements are computed in f64, as in PyTorch.
  DType compute = operators::isFloat(*type) && isFloat ? DType::F64 : DType::I64;
  return single(importer.b.compute(*type, *count, [&](Body &body) {
    Scalar index(body.ops, body.loc, body.fromIndex(body.index(body.dim(0)), DType::I64));
    Scalar position = convert(index, operators::getElementType(importer.b.context(), compute));
    Scalar element = position * makeScalar(importer, body, step, compute) +
                     makeScalar(importer, body, start, compute);
    return convert(element, operators::getElementType(importer.b.context(), *type),
                   operators::isUnsigned(*type))
        .getValue();
  }));
}

void registerFactories(OperatorTable &table) {
  table.compute("aten::zeros", "-", buildConstant<0>);
  table.compute("aten::ones", "-", buildConstant<1>);
  table.compute("aten::empty", "memory_format", buildConstant<0>);
  table.compute("aten::full", "-", buildFull);
  table.compute("aten::zeros_like", "-", buildLike<0>);
  table.compute("aten::ones_like", "-", buildLike<1>);
  table.compute("aten::empty_like", "-", buildLike<0>);
  table.compute("aten::full_like", "-", buildFullLike);
  table.compute("aten::new_zeros", "-", buildNew<0>, Layout::Contiguous);
  table.compute("aten::new_ones", "-", buildNew<1>, Layout::Contiguous);
  table.compute("aten::new_empty", "-", buildNew<0>, Layout::Contiguous);
  table.compute("aten::new_full", "-", buildNewFull, Layout::Contiguous);
  table.compute("aten::arange", "- start start_step", buildArange);
}

} // namespace tssa::pytorch
