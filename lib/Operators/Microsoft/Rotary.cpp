//===- Rotary.cpp - rotary embeddings -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/Families.h"
#include "lib/Operators/Microsoft/Attend.h"
#include "tssa/Builder/BodyScalar.h"

using namespace mlir;

namespace tssa::operators {

/// Returns the number of heads of an input of rank 3: the attribute `num_heads` or, without it, the
/// size of the last dim divided by the size of a head. The size of a head is twice the number of
/// columns of the cache.
static FailureOr<int64_t> getHeads(Builder &builder, const Node &node, const Tensor &x) {
  int64_t heads = node.getInt("num_heads", 0);
  if (heads > 0)
    return heads;
  if (node.getInt("rotary_embedding_dim", 0))
    return builder.error("expected num_heads with rotary_embedding_dim");
  std::optional<int64_t> hidden = x.dim(2).constant(), half = node.inputs[2].rank() == 2
                                                                  ? node.inputs[2].dim(1).constant()
                                                                  : std::nullopt;
  if (!hidden || !half || *half < 1 || *hidden % (2 * *half) != 0)
    return builder.error(
        "expected the last dim to be divisible by the head size of cos_cache, got " + x.str());
  return *hidden / (2 * *half);
}

static FailureOr<Tensors> buildRotary(Builder &builder, const Node &node) {
  const Tensor &x = node.inputs[0], &positions = node.inputs[1];
  const Tensor &cos = node.inputs[2], &sin = node.inputs[3];
  if (x.rank() != 3 && x.rank() != 4)
    return builder.error("expected an input of rank 3 or 4, got " + Twine(x.str()));
  if (node.getInt("is_packed_batching", 0))
    return builder.unsupported("is_packed_batching = 1");
  FailureOr<Tensor> heads = x;
  if (x.rank() == 3) {
    FailureOr<int64_t> number = getHeads(builder, node, x);
    if (failed(number))
      return failure();
    heads = splitHeads(builder, x, *number);
    if (failed(heads))
      return failure();
  }
  FailureOr<int64_t> size =
      getRotarySize(builder, cos, sin, heads->dim(3), node.getInt("rotary_embedding_dim", 0));
  if (failed(size))
    return failure();
  bool isOffset = positions.rank() == 1;
  if (!isOffset &&
      (positions.rank() != 2 ||
       failed(builder.requireEqual(positions.dim(0), x.dim(0), "batches")) ||
       failed(builder.requireEqual(positions.dim(1), heads->dim(2), "positions and the sequence"))))
    return builder.error("expected one position or one per token, got " + positions.str());
  if (isOffset && failed(builder.requireEqual(positions.dim(0), 1, "the number of positions")))
    return failure();
  auto position = [&](Body &body, AffineExpr b, AffineExpr s) {
    if (!isOffset)
      return readScalar(body, positions, {b, s});
    Scalar first = readScalar(body, positions, body.constantExpr(0));
    return first + convert(indexScalar(body, s, DType::I64), first.getType());
  };
  FailureOr<Tensor> turned =
      rotate(builder, *heads, {cos, sin, node.getInt("interleaved", 0) != 0, *size, position});
  if (failed(turned) || x.rank() == 4)
    return single(turned);
  return single(mergeHeads(builder, *turned));
}

OperatorRows getMicrosoftRotaryRows() {
  return {{"RotaryEmbedding",
           Signature{"input:T position_ids:index cos_cache:T sin_cache:T",
                     "interleaved:int num_heads:int rotary_embedding_dim:int scale:float "
                     "is_packed_batching:int"},
           buildRotary}};
}

} // namespace tssa::operators
