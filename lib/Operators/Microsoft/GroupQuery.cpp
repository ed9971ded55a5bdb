//===- GroupQuery.cpp - attention whose heads share keys -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// GroupQueryAttention keeps the keys and values of all past tokens in a buffer, which may be
/// longer than needed. Row b has `seqlens_k[b] + 1` tokens, the last S of which are new. If S is
/// total_sequence_length, this is the first prompt: all tokens are new, and rows are padded at the
/// right. New tokens are written after the past tokens. The rest of the buffer is 0.
///
//===----------------------------------------------------------------------===//

#include "lib/Operators/Families.h"
#include "lib/Operators/Microsoft/Attend.h"
#include "tssa/Builder/BodyScalar.h"
#include "tssa/Builder/Indexing.h"
#include <array>
#include <cmath>
#include <limits>

using namespace mlir;

namespace tssa::operators {

namespace {
/// Sizes and inputs of a node.
struct Query {
  Tensor q, k, v; ///< [B,N,S,H], [B,M,S,H]
  Tensor lengths; ///< [B] or [B,1]: the number of tokens of each row minus 1
  Size total;     ///< the number of tokens of the longest row
  Size isLater;   ///< 0 for a first prompt, else 1

  const Size &length() const { return q.dim(2); }

  /// Returns the position of the last token of row `b`.
  Scalar last(Body &body, AffineExpr b) const {
    SmallVector<AffineExpr> at(lengths.rank(), body.constantExpr(0));
    at[0] = b;
    return convert(readScalar(body, lengths, at), body.ops.getI64Type());
  }

  /// Returns the number of past tokens of row `b`.
  Scalar past(Body &body, AffineExpr b) const {
    return (last(body, b) + 1.0 - sizeScalar(body, length())) * sizeScalar(body, isLater);
  }
};

/// Which keys take part.
struct KeyOrder {
  bool isCausal;  ///< only keys up to the query
  int64_t window; ///< if positive, only the last `window` keys up to the query
};
} // namespace

/// Reads queries, keys and values from three inputs or from one packed input, and splits them by
/// heads.
static FailureOr<Query> getQuery(Builder &builder, const Node &node) {
  int64_t heads = node.getInt("num_heads", 0), shared = node.getInt("kv_num_heads", 0);
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  if (heads < 1 || shared < 1 || heads > most || heads % shared != 0)
    return builder.error("kv_num_heads " + Twine(shared) + " does not divide num_heads " +
                         Twine(heads));
  const std::array<int64_t, 3> numbers = {heads, shared, shared};
  Tensors parts = {node.inputs[0], node.input(1), node.input(2)};
  if (!parts[1] != !parts[2])
    return builder.error("expected key and value together");
  if (parts[0].rank() != 3)
    return builder.error("expected a query of rank 3, got " + Twine(parts[0].str()));
  if (!parts[1]) {
    Tensor packed = parts[0];
    std::optional<Size> size = packed.dim(2).divideExactly(heads + 2 * shared);
    if (!size)
      return builder.error("expected the last dim of the packed query to be divisible by the " +
                           Twine(heads + 2 * shared) + " heads, got " + packed.str());
    Size begin = 0;
    for (auto [part, number] : llvm::zip_equal(parts, numbers)) {
      FailureOr<Tensor> slice = builder.slice(packed, 2, begin, *size * number);
      if (failed(slice))
        return failure();
      part = *slice;
      begin = begin + *size * number;
    }
  }
  for (auto [part, number] : llvm::zip_equal(parts, numbers)) {
    FailureOr<Tensor> split = splitHeads(builder, part, number);
    if (failed(split))
      return failure();
    part = *split;
  }
  if (failed(builder.requireEqual(parts[0].dim(2), parts[1].dim(2), "new queries and keys")) ||
      failed(builder.requireEqual(parts[1].dim(2), parts[2].dim(2), "new keys and values")))
    return failure();
  return Query{parts[0], parts[1], parts[2], node.inputs[5], 0, 0};
}

/// Reads the numbers of tokens, and sets whether there are past tokens.
static LogicalResult readLengths(Builder &builder, const Node &node, Query &query) {
  const Tensor &lengths = query.lengths;
  bool isRow = lengths.rank() == 1 || (lengths.rank() == 2 && lengths.dim(1).isConstant(1));
  if (!isRow || failed(builder.requireEqual(lengths.dim(0), query.q.dim(0), "seqlens_k and rows")))
    return builder.error("expected one element of seqlens_k per row, got " + lengths.str());
  if (!node.inputs[6].numElements().isConstant(1))
    return builder.error("expected one total_sequence_length, got " + node.inputs[6].str());
  FailureOr<Tensor> scalar = builder.reshape(node.inputs[6], {});
  if (failed(scalar))
    return failure();
  FailureOr<Size> total = builder.requireSize(*scalar, "total_sequence_length");
  if (failed(total) || failed(builder.requireNonNegative(
                           *total - query.length(), "total_sequence_length minus the new tokens")))
    return failure();
  query.total = *total;
  query.isLater = builder.select(builder.isEqual(query.length(), *total), 0, 1);
  return success();
}

/// Returns the buffer [B,M,P,H] with `now` [B,M,S,H] written after the past tokens of each row.
static FailureOr<Tensor> writeBehind(Builder &builder, const Query &query, const Tensor &past,
                                     const Tensor &now) {
  SmallVector<Size> shape(now.shape());
  shape[2] = past ? Size::max(past.dim(2), query.total) : query.total;
  if (past && (past.rank() != 4 ||
               failed(builder.requireEqual(past.dim(0), now.dim(0), "batches of the past")) ||
               failed(builder.requireEqual(past.dim(1), now.dim(1), "heads of the past")) ||
               failed(builder.requireEqual(past.dim(3), now.dim(3), "head sizes of the past"))))
    return builder.error("expected a past of rank 4, got " + past.str());
  return builder.compute(now.dtype(), shape, [&](Body &body) {
    SmallVector<AffineExpr> at = body.dims(0, 4), source = at;
    Scalar begin = query.past(body, at[0]);
    Scalar index = indexScalar(body, at[2], DType::I64) - begin;
    Scalar length = sizeScalar(body, query.length());
    Scalar inNow = (index >= 0.0) & (index < length);
    source[2] = body.opaque(toIndex(select(inNow, index, 0.0)));
    Scalar fresh = toScalar(body, body.read(now, source), now.dtype());
    Scalar old = fresh.constant(0);
    if (past) {
      TypedAttr zero = body.ops.getZeroAttr(old.getType());
      AffineExpr isInside = body.size(past.dim(2)) - 1 - at[2];
      old = select(index < 0.0, toScalar(body, body.read(past, at, isInside, zero), now.dtype()),
                   old);
    }
    return select(inNow, fresh, old).getValue();
  });
}

static LogicalResult turn(Builder &builder, const Node &node, Query &query) {
  Tensor cos = node.input(7), sin = node.input(8), positions = node.input(9);
  if (!cos || !sin)
    return builder.error("expected cos_cache and sin_cache with do_rotary = 1");
  if (cos.rank() != 2)
    return builder.error("expected caches of rank 2, got " + Twine(cos.str()));
  std::optional<int64_t> half = cos.dim(1).constant();
  FailureOr<int64_t> size = getRotarySize(builder, cos, sin, query.q.dim(3), half ? 2 * *half : 0);
  if (failed(size))
    return failure();
  if (positions && (positions.rank() != 2 ||
                    failed(builder.requireEqual(positions.dim(0), query.q.dim(0), "batches")) ||
                    failed(builder.requireEqual(positions.dim(1), query.length(), "positions"))))
    return builder.error("expected one position per new token, got " + positions.str());
  auto position = [&](Body &body, AffineExpr b, AffineExpr s) {
    Scalar token = indexScalar(body, s, DType::I64);
    if (!positions)
      return query.past(body, b) + token;
    // The tokens of all rows of a first prompt count from the first position.
    AffineExpr zero = body.constantExpr(0);
    Scalar inPrompt = readScalar(body, positions, {zero, zero}) + token;
    return select(sizeScalar(body, query.isLater) == 0.0, inPrompt,
                  readScalar(body, positions, {b, s}));
  };
  RotaryOptions options{cos, sin, node.getInt("rotary_interleaved", 0) != 0, *size, position};
  for (Tensor *part : {&query.q, &query.k}) {
    FailureOr<Tensor> turned = rotate(builder, *part, options);
    if (failed(turned))
      return failure();
    *part = *turned;
  }
  return success();
}

/// Returns whether the key of the score at [b, n, s, t] takes part. No key after the last token of
/// a row does, not even for the padding of a row.
static Scalar isSeen(Body &body, const Query &query, const KeyOrder &order,
                     ArrayRef<AffineExpr> at) {
  Scalar key = indexScalar(body, at[3], DType::I64), last = query.last(body, at[0]);
  if (!order.isCausal)
    return key <= last;
  Scalar position = query.past(body, at[0]) + indexScalar(body, at[2], DType::I64);
  Scalar seen = (key <= position) & (key <= last);
  return order.window > 0 ? seen & (key > position - static_cast<double>(order.window)) : seen;
}

static FailureOr<KeyOrder> getOrder(Builder &builder, const Node &node) {
  int64_t causal = node.getInt("causal", 1), window = node.getInt("local_window_size", -1);
  if (causal != 0 && causal != 1)
    return builder.error("expected causal of 0 or 1, got " + Twine(causal));
  if (!causal && window != -1)
    return builder.error("expected local_window_size of -1 with causal = 0, got " + Twine(window));
  return KeyOrder{causal == 1, window};
}

/// Returns the scores before (`kind` 1) or after (`kind` 2) the softmax as an output of type
/// `type`. Keys that take no part have 0.
static FailureOr<Tensor> getScoreOutput(Builder &builder, const Query &query, const KeyOrder &order,
                                        const Attended &attended, int64_t kind) {
  DType type = query.q.dtype();
  if (kind == 2)
    return builder.cast(attended.weights, type);
  if (kind != 1)
    return builder.error("expected qk_output of 1 or 2 for the output of scores, got " +
                         Twine(kind));
  const Tensor &scores = attended.scores;
  return builder.compute(type, scores.shape(), [&](Body &body) {
    SmallVector<AffineExpr> at = body.dims(0, 4);
    Scalar seen = isSeen(body, query, order, at);
    return toElement(body, select(seen, readScalar(body, scores, at), 0.0), type);
  });
}

static ScoreFn getSoftcap(double softcap) {
  if (softcap == 0)
    return nullptr;
  return
      [=](Body &, Scalar score, ArrayRef<AffineExpr>) { return softcap * tanh(score / softcap); };
}

static FailureOr<AttentionOptions> getOptions(Builder &builder, const Node &node,
                                              const Query &query, const KeyOrder &order) {
  const Tensor &q = query.q;
  FailureOr<ScoreFn> bias =
      getBias(builder, node.input(10), {q.dim(0), q.dim(1), q.dim(2), query.total});
  if (failed(bias))
    return failure();
  std::optional<int64_t> size = q.dim(3).constant();
  if (!size || *size < 1)
    return builder.unsupported("heads whose size is not known");
  ScoreFn exclude = [=](Body &body, Scalar score, ArrayRef<AffineExpr> at) {
    return select(isSeen(body, query, order, at), score, -std::numeric_limits<double>::infinity());
  };
  double given = node.getFloat("scale", 0);
  AttentionOptions options{given ? given : 1 / std::sqrt(static_cast<double>(*size)),
                           chain(chain(getSoftcap(node.getFloat("softcap", 0)), *bias), exclude),
                           node.input(11), node.getInt("smooth_softmax", 0) == 1};
  if (options.sink && (options.sink.rank() != 1 ||
                       failed(builder.requireEqual(options.sink.dim(0), q.dim(1), "head_sink"))))
    return builder.error("expected one element of head_sink per head");
  return options;
}

static LogicalResult refuseQuantizedCache(Builder &builder, const Node &node) {
  bool isQuantized = node.input(12) || node.input(13) ||
                     node.getString("k_quant_type", "NONE") != "NONE" ||
                     node.getString("v_quant_type", "NONE") != "NONE";
  return isQuantized ? builder.unsupported("a quantized cache of keys and values") : success();
}

static FailureOr<Tensors> buildGroupQueryAttention(Builder &builder, const Node &node) {
  if (failed(refuseQuantizedCache(builder, node)))
    return failure();
  Tensor pastKey = node.input(3), pastValue = node.input(4);
  if (!pastKey != !pastValue)
    return builder.error("expected past_key and past_value together");
  FailureOr<Query> query = getQuery(builder, node);
  if (failed(query) || failed(readLengths(builder, node, *query)))
    return failure();
  if (node.getInt("do_rotary", 0) && failed(turn(builder, node, *query)))
    return failure();
  FailureOr<Tensor> keys = writeBehind(builder, *query, pastKey, query->k);
  FailureOr<Tensor> values = writeBehind(builder, *query, pastValue, query->v);
  if (failed(keys) || failed(values))
    return failure();
  FailureOr<Tensor> k = builder.slice(*keys, 2, 0, query->total);
  FailureOr<Tensor> v = builder.slice(*values, 2, 0, query->total);
  FailureOr<KeyOrder> order = getOrder(builder, node);
  if (failed(k) || failed(v) || failed(order))
    return failure();
  FailureOr<AttentionOptions> options = getOptions(builder, node, *query, *order);
  if (failed(options))
    return failure();
  FailureOr<Attended> attended = attend(builder, query->q, *k, *v, *options);
  if (failed(attended))
    return failure();
  FailureOr<Tensor> result = mergeHeads(builder, attended->result);
  if (failed(result))
    return failure();
  Tensors results = {*result, *keys, *values, Tensor()};
  if (node.hasOutput(3)) {
    FailureOr<Tensor> scores =
        getScoreOutput(builder, *query, *order, *attended, node.getInt("qk_output", 0));
    if (failed(scores))
      return failure();
    results[3] = *scores;
  }
  return results;
}

OperatorRows getMicrosoftGroupQueryRows() {
  return {
      {"GroupQueryAttention",
       Signature{"query:T key?:T value?:T past_key?:T past_value?:T seqlens_k:i32 "
                 "total_sequence_length:i32 cos_cache?:T sin_cache?:T position_ids?:i64 "
                 "attention_bias?:T head_sink?:T k_scale?:f32 v_scale?:f32",
                 "num_heads!:int kv_num_heads!:int scale:float softcap:float local_window_size:int "
                 "do_rotary:int rotary_interleaved:int smooth_softmax:int qk_output:int "
                 "causal:int "
                 "k_quant_type:string v_quant_type:string kv_cache_bit_width:int"},
       buildGroupQueryAttention}};
}

} // namespace tssa::operators
