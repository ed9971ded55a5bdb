//===- Scans.cpp - running sums, products and extremes -===//
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
using tssa::operators::Body;
using tssa::operators::Scalar;
using tssa::operators::te::Combiner;

namespace tssa::pytorch {

static Tensor scan(Importer &importer, const Tensor &tensor, int64_t axis, Combiner combiner) {
  return importer.b.scan(tensor, axis, combiner, /*exclusive=*/false, /*reverse=*/false);
}

/// cumsum(self, dim, dtype), which sums floats of less than 32 bits in f32.
template <Combiner combiner>
static FailureOr<Tensors> buildRunning(Importer &importer, const Call &call) {
  operators::Builder &b = importer.b;
  FailureOr<TensorRef> self = importer.getTensor(call[0]);
  if (failed(self))
    return failure();
  FailureOr<int64_t> axis = importer.getDim(call[1], self->rank());
  FailureOr<DType> type =
      importer.getDType(call[2], operators::isFloat(self->dtype) ? self->dtype : DType::I64);
  if (failed(axis) || failed(type))
    return failure();
  FailureOr<Tensor> input = b.cast(importer.read(*self), *type);
  if (failed(input))
    return failure();
  if (self->rank() == 0)
    return Tensors{*input};
  if (*type == DType::Bool)
    return b.unsupported("a running sum or product of bools");
  FailureOr<Tensor> wide = b.cast(*input, operators::getAccumulator(*type));
  if (failed(wide))
    return failure();
  return operators::single(b.cast(scan(importer, *wide, *axis, combiner), *type));
}

/// Returns a running argmax or argmin: for each position along `axis`, the position of the extreme
/// among the elements up to and including it. Of several equal extremes, or several NaNs, the last
/// counts. Positions that fit into 32 bits are found as such, which moves fewer bytes.
static FailureOr<Tensor> findPositions(Importer &importer, const Tensor &input,
                                       const Tensor &extremes, int64_t axis) {
  std::optional<int64_t> length = input.shape()[axis].constant();
  DType type = length && isInt<32>(*length) ? DType::I32 : DType::I64;
  FailureOr<Tensor> found = importer.b.compute(type, input.shape(), [&](Body &body) {
    SmallVector<mlir::AffineExpr> at = body.dims(0, input.rank());
    Scalar element = operators::readScalar(body, input, at);
    Scalar isExtreme = element == operators::readScalar(body, extremes, at);
    if (element.isFloat())
      isExtreme = isExtreme | isNaN(element);
    Scalar position = operators::indexScalar(body, at[axis], type);
    return select(isExtreme, position, 0.0).getValue();
  });
  if (failed(found))
    return failure();
  return importer.b.cast(scan(importer, *found, axis, Combiner::Max), DType::I64);
}

/// cummax(self, dim): values and positions.
template <Combiner combiner>
static FailureOr<Tensors> buildExtremes(Importer &importer, const Call &call) {
  operators::Builder &b = importer.b;
  FailureOr<TensorRef> self = importer.getTensor(call[0]);
  if (failed(self))
    return failure();
  FailureOr<int64_t> axis = importer.getDim(call[1], self->rank());
  if (failed(axis))
    return failure();
  Tensor tensor = importer.read(*self);
  if (self->rank() == 0) {
    FailureOr<Tensor> first = b.fill(DType::I64, {}, 0);
    return failed(first) ? FailureOr<Tensors>(failure()) : Tensors{tensor, *first};
  }
  // Bools are compared as bytes.
  bool isBool = self->dtype == DType::Bool;
  FailureOr<Tensor> input = isBool ? b.cast(tensor, DType::U8) : tensor;
  if (failed(input))
    return failure();
  FailureOr<Tensor> extremes = scan(importer, *input, *axis, combiner);
  FailureOr<Tensor> positions = findPositions(importer, *input, *extremes, *axis);
  if (isBool)
    extremes = b.cast(*extremes, DType::Bool);
  if (failed(extremes) || failed(positions))
    return failure();
  return Tensors{*extremes, *positions};
}

void registerScans(OperatorTable &table) {
  table.compute("aten::cumsum", "-", buildRunning<Combiner::Add>);
  table.compute("aten::cumprod", "-", buildRunning<Combiner::Mul>);
  table.compute("aten::cummax", "-", buildExtremes<Combiner::Max>);
  table.compute("aten::cummin", "-", buildExtremes<Combiner::Min>);
}

} // namespace tssa::pytorch
