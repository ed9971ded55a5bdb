//===- Rearrangement.cpp - operators that permute elements -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/Families.h"
#include "tssa/Builder/Indexing.h"

using namespace mlir;

namespace tssa::operators {

static LogicalResult requireImage(Builder &builder, const Tensor &input, int64_t block) {
  if (input.rank() != 4)
    return builder.error("expected an input of rank 4, got " + Twine(input.str()));
  if (block < 1 || block > std::numeric_limits<int32_t>::max())
    return builder.error("expected a blocksize in [1, 2^31), got " + Twine(block));
  return success();
}

/// Moves channels to blocks of the image. Channels are ordered as (y, x, c) in mode DCR, else as
/// (c, y, x).
static FailureOr<Tensors> buildDepthToSpace(Builder &builder, const Node &node) {
  const Tensor &input = node.inputs[0];
  int64_t block = node.getInt("blocksize", 0);
  if (failed(requireImage(builder, input, block)))
    return failure();
  bool channelsFirst = node.getString("mode", "DCR") == "CRD";
  Size channels = input.dim(1).floorDiv(block * block);
  if (failed(builder.require(builder.isEqual(channels * block * block, input.dim(1)),
                             "blocksize " + Twine(block) + " squared does not divide " +
                                 input.dim(1).str() + " channels")))
    return failure();
  SmallVector<Size> shape = {input.dim(0), channels, input.dim(2) * block, input.dim(3) * block};
  return single(builder.compute(input.dtype(), shape, [&](Body &body) {
    AffineExpr y = body.dim(2), x = body.dim(3);
    AffineExpr inBlock = (y % block) * block + x % block;
    AffineExpr channel = channelsFirst ? body.dim(1) * (block * block) + inBlock
                                       : inBlock * body.size(channels) + body.dim(1);
    return body.read(input, {body.dim(0), channel, y.floorDiv(block), x.floorDiv(block)});
  }));
}

static FailureOr<Tensors> buildSpaceToDepth(Builder &builder, const Node &node) {
  const Tensor &input = node.inputs[0];
  int64_t block = node.getInt("blocksize", 0);
  if (failed(requireImage(builder, input, block)))
    return failure();
  bool channelsFirst = node.getString("mode", "DCR") == "CRD";
  Size height = input.dim(2).floorDiv(block), width = input.dim(3).floorDiv(block);
  std::optional<int64_t> channels = input.dim(1).constant();
  for (auto [blocks, size] : {std::pair(height, input.dim(2)), std::pair(width, input.dim(3))})
    if (failed(builder.require(builder.isEqual(blocks * block, size),
                               "blocksize " + Twine(block) + " does not divide the image of " +
                                   input.str())))
      return failure();
  if (!channels || *channels == 0)
    return builder.unsupported("an input without a known number of channels");
  SmallVector<Size> shape = {input.dim(0), Size(*channels) * (block * block), height, width};
  return single(builder.compute(input.dtype(), shape, [&](Body &body) {
    AffineExpr channel = body.dim(1) % *channels, inBlock = body.dim(1).floorDiv(*channels);
    if (channelsFirst) {
      channel = body.dim(1).floorDiv(block * block);
      inBlock = body.dim(1) % (block * block);
    }
    return body.read(input, {body.dim(0), channel, body.dim(2) * block + inBlock.floorDiv(block),
                             body.dim(3) * block + inBlock % block});
  }));
}

static FailureOr<Tensors> buildReverseSequence(Builder &builder, const Node &node) {
  const Tensor &input = node.inputs[0], &lengths = node.inputs[1];
  FailureOr<int64_t> batch = builder.normalizeAxis(node.getInt("batch_axis", 1), input.rank());
  FailureOr<int64_t> time = builder.normalizeAxis(node.getInt("time_axis", 0), input.rank());
  if (failed(batch) || failed(time))
    return failure();
  if (*batch == *time || lengths.rank() != 1)
    return builder.error("expected different axes and sequence_lens of rank 1, got axis " +
                         Twine(*batch) + " twice or " + lengths.str());
  if (failed(
          builder.requireEqual(lengths.dim(0), input.dim(*batch), "sequence_lens and the batch")))
    return failure();
  return single(builder.compute(input.dtype(), input.shape(), [&](Body &body) {
    SmallVector<AffineExpr> at = body.dims(0, input.rank());
    Scalar step = indexScalar(body, at[*time], DType::I64);
    Scalar length = convert(readScalar(body, lengths, at[*batch]), body.ops.getI64Type());
    Scalar from = select(step < length, length - 1.0 - step, step);
    at[*time] = body.opaque(toIndex(from));
    return body.read(input, at);
  }));
}

/// Builds Trilu, which keeps the elements on one side of a diagonal of the last two dims.
static FailureOr<Tensors> buildTrilu(Builder &builder, const Node &node) {
  const Tensor &input = node.inputs[0];
  if (input.rank() < 2)
    return builder.error("expected an input of rank 2 or more, got " + Twine(input.str()));
  Size diagonal(0);
  if (Tensor given = node.input(1)) {
    FailureOr<Size> k = builder.requireSize(given, "k");
    if (failed(k))
      return failure();
    diagonal = *k;
  }
  bool isUpper = node.getInt("upper", 1) != 0;
  TypedAttr zero = builder.ops.getZeroAttr(getElementType(builder.context(), input.dtype()));
  return single(builder.compute(input.dtype(), input.shape(), [&](Body &body) {
    SmallVector<AffineExpr> at = body.dims(0, input.rank());
    AffineExpr above = at.back() - at[input.rank() - 2] - body.size(diagonal);
    return body.read(input, at, isUpper ? above : -above, zero);
  }));
}

static FailureOr<Size> getDepth(Builder &builder, const Tensor &depth) {
  if (isInteger(depth.dtype()))
    return builder.requireSize(depth, "depth");
  FailureOr<Tensor> integer = builder.cast(depth, DType::I64);
  if (failed(integer))
    return failure();
  return builder.requireSize(*integer, "depth");
}

static FailureOr<Tensors> buildOneHot(Builder &builder, const Node &node) {
  const Tensor &indices = node.inputs[0], &values = node.inputs[2];
  FailureOr<Size> depth = getDepth(builder, node.inputs[1]);
  FailureOr<int64_t> axis = builder.normalizeAxis(node.getInt("axis", -1), indices.rank() + 1);
  if (failed(depth) || failed(axis))
    return failure();
  if (values.rank() != 1)
    return builder.error("expected values of rank 1, got " + Twine(values.str()));
  if (failed(builder.requireEqual(values.dim(0), 2, "the number of values")))
    return failure();
  SmallVector<Size> shape(indices.shape());
  shape.insert(shape.begin() + *axis, *depth);
  return single(builder.compute(values.dtype(), shape, [&](Body &body) {
    SmallVector<AffineExpr> at = body.dims(0, shape.size());
    Scalar here = indexScalar(body, at[*axis], DType::I64);
    at.erase(at.begin() + *axis);
    Scalar index = convert(readScalar(body, indices, at), body.ops.getI64Type());
    index = select(index < 0.0, index + sizeScalar(body, *depth), index);
    Scalar off = toScalar(body, body.read(values, body.constantExpr(0)), values.dtype());
    Scalar on = toScalar(body, body.read(values, body.constantExpr(1)), values.dtype());
    return select(index == here, on, off).getValue();
  }));
}

OperatorRows getRearrangementRows() {
  return {
      {"DepthToSpace", buildDepthToSpace},
      {"SpaceToDepth", buildSpaceToDepth},
      {"ReverseSequence", buildReverseSequence},
      {"Trilu", buildTrilu},
      {"OneHot", buildOneHot},
  };
}

} // namespace tssa::operators
