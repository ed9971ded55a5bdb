//===- Shapes.cpp - requirements on shapes, and splitting -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Builder/Shapes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tssa::operators {

LogicalResult requireBroadcast(Builder &builder, const Tensor &operand, ArrayRef<Size> shape,
                               StringRef what) {
  auto text = [&] {
    return ("expected " + what + " to broadcast to " + Tensor(operand.dtype(), shape).str() +
            ", got " + operand.str())
        .str();
  };
  if (operand.rank() > static_cast<int64_t>(shape.size()))
    return builder.error(text());
  for (auto [size, extent] : llvm::zip_equal(operand.shape(), shape.take_back(operand.rank()))) {
    if (size == extent || size.isConstant(1))
      continue;
    Builder::Condition isExtent = builder.isEqual(size, extent), isOne = builder.isEqual(size, 1);
    if (isExtent.known == false && isOne.known == false)
      return builder.error(text());
    if (isExtent.value && isOne.value)
      builder.check(arith::OrIOp::create(builder.ops, builder.loc(), isExtent.value, isOne.value),
                    text());
    else if (failed(builder.require(isExtent.value ? isExtent : isOne, text())))
      return failure();
  }
  return success();
}

LogicalResult requireInside(Builder &builder, const Tensor &data, const Tensor &indices,
                            int64_t axis) {
  if (indices.rank() != data.rank())
    return builder.error("expected indices of rank " + Twine(data.rank()) + ", got " +
                         indices.str());
  for (int64_t i = 0; i < data.rank(); ++i)
    if (i != axis &&
        failed(builder.requireNonNegative(data.dim(i) - indices.dim(i),
                                          "dim " + Twine(i) + " of data minus that of indices")))
      return failure();
  return success();
}

FailureOr<SmallVector<Size>> spreadByAxes(Builder &builder, ArrayRef<Size> axes,
                                          ArrayRef<Size> values, ArrayRef<Size> otherwise) {
  int64_t rank = otherwise.size();
  SmallVector<Size> result(otherwise);
  SmallVector<int64_t> seen;
  for (auto [axis, value] : llvm::zip_equal(axes, values)) {
    if (std::optional<int64_t> constant = axis.constant()) {
      FailureOr<int64_t> normal = builder.normalizeAxis(*constant, rank);
      if (failed(normal))
        return failure();
      if (llvm::is_contained(seen, *normal))
        return builder.error("axis " + Twine(*constant) + " is given twice");
      seen.push_back(*normal);
      result[*normal] = value;
      continue;
    }
    if (failed(builder.require(builder.isLess(axis, rank), "an axis is out of range")) ||
        failed(builder.require(builder.isLess(-rank - 1, axis), "an axis is out of range")))
      return failure();
    Size normal = builder.select(builder.isLess(axis, 0), axis + rank, axis);
    for (int64_t dim = 0; dim < rank; ++dim)
      result[dim] = builder.select(builder.isEqual(normal, dim), value, result[dim]);
  }
  return result;
}

FailureOr<Tensors> split(Builder &b, const Tensor &x, int64_t axis, ArrayRef<Size> lengths) {
  Size total = 0;
  for (const Size &length : lengths) {
    if (failed(b.requireNonNegative(length, "a part")))
      return failure();
    total = total + length;
  }
  if (failed(b.requireEqual(total, x.dim(axis), "sum of the parts")))
    return failure();
  Tensors parts;
  Size begin = 0;
  for (const Size &length : lengths) {
    FailureOr<Tensor> part = b.slice(x, axis, begin, length);
    if (failed(part))
      return failure();
    parts.push_back(*part);
    begin = begin + length;
  }
  return parts;
}

} // namespace tssa::operators
