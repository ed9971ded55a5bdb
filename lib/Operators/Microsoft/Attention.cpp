//===- Attention.cpp - attention with one key head per query head -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/Families.h"
#include "lib/Operators/Microsoft/Attend.h"
#include "tssa/Builder/BodyScalar.h"
#include "tssa/Builder/Contraction.h"
#include "tssa/Operators/Catalogue.h"
#include <cmath>

using namespace mlir;

namespace tssa::operators {

namespace {
/// The queries, keys and values of a node: [B,N,S,H], [B,N,T,H] and [B,N,T,V].
struct Projections {
  Tensor q, k, v;
};
} // namespace

static FailureOr<double> getScale(Builder &builder, const Node &node, const Tensor &q) {
  if (double scale = node.getFloat("scale", 0))
    return scale;
  std::optional<int64_t> size = q.dim(3).constant();
  if (!size || *size < 1)
    return builder.unsupported("heads whose size is not known");
  return 1 / std::sqrt(static_cast<double>(*size));
}

/// Returns a function that applies the mask, the bias and the causal order to a score.
static FailureOr<ScoreFn> getAdjust(Builder &builder, const Node &node, const Projections &parts,
                                    const Tensor &mask, const Tensor &bias, const Size &past) {
  const Tensor &q = parts.q, &k = parts.k;
  FailureOr<ScoreFn> masked = getMask(builder, mask, node.getFloat("mask_filter_value", -10000),
                                      q.dim(0), q.dim(2), k.dim(2));
  FailureOr<ScoreFn> biased = getBias(builder, bias, {q.dim(0), q.dim(1), q.dim(2), k.dim(2)});
  if (failed(masked) || failed(biased))
    return failure();
  ScoreFn adjust = chain(*biased, *masked);
  if (node.getInt("unidirectional", 0))
    adjust = chain(adjust, getCausal(past, q.dtype()));
  return adjust;
}

/// Returns the result with its heads merged.
static FailureOr<Attended> finish(Builder &builder, const Node &node, const Projections &parts,
                                  const ScoreFn &adjust) {
  FailureOr<double> scale = getScale(builder, node, parts.q);
  if (failed(scale))
    return failure();
  FailureOr<Attended> attended =
      attend(builder, parts.q, parts.k, parts.v, {*scale, adjust, Tensor()});
  if (failed(attended))
    return failure();
  FailureOr<Tensor> merged = mergeHeads(builder, attended->result);
  if (failed(merged))
    return failure();
  attended->result = *merged;
  return attended;
}

static FailureOr<int64_t> getHeads(Builder &builder, const Node &node) {
  int64_t heads = node.getInt("num_heads", 0);
  if (heads < 1)
    return builder.error("expected num_heads of at least 1, got " + Twine(heads));
  return heads;
}

//===----------------------------------------------------------------------===//
// MultiHeadAttention
//===----------------------------------------------------------------------===//

/// Returns part `part` of x [B,S,N,count,H], as [B,N,S,H].
static FailureOr<Tensor> takePart(Builder &builder, const Tensor &x, int64_t part, int64_t count) {
  if (failed(builder.requireEqual(x.dim(3), count, "parts of a packed tensor")))
    return failure();
  FailureOr<Tensor> slice = builder.slice(x, 3, part, 1);
  if (failed(slice))
    return failure();
  FailureOr<Tensor> flat = builder.reshape(*slice, {x.dim(0), x.dim(1), x.dim(2), x.dim(4)});
  if (failed(flat))
    return failure();
  return builder.transpose(*flat, {0, 2, 1, 3});
}

/// Adds the elements of `bias` from `begin` on to x [B,S,D], and splits the sum by heads. If x is
/// [B,N,S,H], returns x unchanged.
static FailureOr<Tensor> makeHeads(Builder &builder, const Tensor &x, const Tensor &bias,
                                   const Size &begin, int64_t heads) {
  if (x.rank() == 4)
    return x;
  if (x.rank() != 3)
    return builder.error("expected a tensor of rank 3, 4 or 5, got " + Twine(x.str()));
  FailureOr<Tensor> sum = x;
  if (bias)
    sum = builder.compute(x.dtype(), x.shape(), [&](Body &body) {
      SmallVector<AffineExpr> at = body.dims(0, 3);
      Scalar added = readScalar(body, bias, at[2] + body.size(begin));
      return toElement(body, readScalar(body, x, at) + added, x.dtype());
    });
  if (failed(sum))
    return failure();
  return splitHeads(builder, *sum, heads);
}

static FailureOr<Projections> getPackedParts(Builder &builder, const Node &node, int64_t heads) {
  const Tensor &query = node.inputs[0];
  Tensor key = node.input(1), bias = node.input(3);
  const Tensor &packed = key ? key : query;
  if (bias)
    return builder.unsupported("a bias with packed inputs");
  int64_t count = key ? 2 : 3;
  if (packed.rank() != 5)
    return builder.error("expected packed keys and values of rank 5, got " + Twine(packed.str()));
  FailureOr<Tensor> q =
      key ? makeHeads(builder, query, bias, 0, heads) : takePart(builder, packed, 0, count);
  FailureOr<Tensor> k = takePart(builder, packed, count - 2, count);
  FailureOr<Tensor> v = takePart(builder, packed, count - 1, count);
  if (failed(q) || failed(k) || failed(v))
    return failure();
  return Projections{*q, *k, *v};
}

static FailureOr<Projections> getParts(Builder &builder, const Node &node, int64_t heads) {
  Tensor query = node.inputs[0], key = node.input(1), value = node.input(2);
  Tensor bias = node.input(3);
  if (!key != !value && !(key && key.rank() == 5))
    return builder.error("expected key and value together");
  if (!value)
    return getPackedParts(builder, node, heads);
  if (query.rank() != 3)
    return builder.error("expected a query of rank 3, got " + Twine(query.str()));
  Size begin = query.dim(2), end = begin * 2;
  if (bias && bias.rank() != 1)
    return builder.error("expected a bias of rank 1, got " + Twine(bias.str()));
  // Keys and values that are already split get no bias.
  Size rest = value.rank() == 3 ? value.dim(2) : begin;
  if (bias && failed(builder.requireEqual(bias.dim(0), end + rest, "the bias and its parts")))
    return failure();
  FailureOr<Tensor> q = makeHeads(builder, query, bias, 0, heads);
  FailureOr<Tensor> k = makeHeads(builder, key, bias, begin, heads);
  FailureOr<Tensor> v = makeHeads(builder, value, bias, end, heads);
  if (failed(q) || failed(k) || failed(v))
    return failure();
  return Projections{*q, *k, *v};
}

/// Prepends `past` to `now` along the dim of the keys.
static LogicalResult prepend(Builder &builder, const Tensor &past, Tensor &now) {
  if (past.rank() != 4)
    return builder.error("expected a past of rank 4, got " + Twine(past.str()));
  FailureOr<Tensor> all = builder.concat({past, now}, 2);
  if (failed(all))
    return failure();
  now = *all;
  return success();
}

/// Writes `now` into the cache `past` behind its first `length` tokens. Returns the whole cache,
/// and prepends these tokens to `now`.
static FailureOr<Tensor> writeAt(Builder &builder, const Tensor &past, const Size &length,
                                 Tensor &now) {
  if (past.rank() != 4)
    return builder.error("expected a past of rank 4, got " + Twine(past.str()));
  Size end = length + now.dim(2), rest = past.dim(2) - end;
  if (failed(builder.requireNonNegative(length, "past_sequence_length")) ||
      failed(builder.requireNonNegative(
          rest, "length of the cache minus past_sequence_length and the new tokens")))
    return failure();
  FailureOr<Tensor> before = builder.slice(past, 2, 0, length);
  FailureOr<Tensor> behind = builder.slice(past, 2, end, rest);
  if (failed(before) || failed(behind) || failed(prepend(builder, *before, now)))
    return failure();
  return builder.concat({now, *behind}, 2);
}

/// Adds the past tokens to the keys and values of `parts`. Returns the number of past tokens, the
/// present keys and the present values.
static FailureOr<std::tuple<Size, Tensor, Tensor>> addPast(Builder &builder, const Node &node,
                                                           Projections &parts) {
  Tensor pastKey = node.input(6), pastValue = node.input(7), given = node.input(8);
  if (!pastKey != !pastValue)
    return builder.error("expected past_key and past_value together");
  if (!pastKey)
    return std::make_tuple(Size(0), parts.k, parts.v);
  if (!given) {
    if (failed(prepend(builder, pastKey, parts.k)) || failed(prepend(builder, pastValue, parts.v)))
      return failure();
    return std::make_tuple(pastKey.dim(2), parts.k, parts.v);
  }
  if (!given.numElements().isConstant(1))
    return builder.error("expected one past_sequence_length, got " + given.str());
  FailureOr<Tensor> scalar = builder.reshape(given, {});
  if (failed(scalar))
    return failure();
  FailureOr<Size> length = builder.requireSize(*scalar, "past_sequence_length");
  if (failed(length))
    return failure();
  FailureOr<Tensor> keys = writeAt(builder, pastKey, *length, parts.k);
  FailureOr<Tensor> values = writeAt(builder, pastValue, *length, parts.v);
  if (failed(keys) || failed(values))
    return failure();
  return std::make_tuple(*length, *keys, *values);
}

static FailureOr<Tensors> buildMultiHeadAttention(Builder &builder, const Node &node) {
  if (node.input(9))
    return builder.unsupported("cache_indirection; export the model without beam search");
  FailureOr<int64_t> heads = getHeads(builder, node);
  if (failed(heads))
    return failure();
  FailureOr<Projections> parts = getParts(builder, node, *heads);
  if (failed(parts))
    return failure();
  auto present = addPast(builder, node, *parts);
  if (failed(present))
    return failure();
  auto [past, keys, values] = *present;
  FailureOr<ScoreFn> adjust = getAdjust(builder, node, *parts, node.input(4), node.input(5), past);
  if (failed(adjust))
    return failure();
  FailureOr<Attended> result = finish(builder, node, *parts, *adjust);
  if (failed(result))
    return failure();
  Tensors results = {result->result, keys, values, Tensor()};
  if (node.hasOutput(3)) {
    FailureOr<Tensor> scores = builder.cast(result->scores, parts->q.dtype());
    if (failed(scores))
      return failure();
    results[3] = *scores;
  }
  return results;
}

/// Builds DecoderMaskedMultiHeadAttention, which is MultiHeadAttention of one query with another
/// order of the inputs.
static FailureOr<Tensors> buildDecoderMasked(Builder &builder, const Node &node) {
  const Tensor &query = node.inputs[0];
  if (query.rank() != 3 || failed(builder.requireEqual(query.dim(1), 1, "queries of each row")))
    return builder.error("expected a query of rank 3, got " + Twine(query.str()));
  bool sharesBuffer = node.getInt("past_present_share_buffer", 0) != 0;
  Tensor past = node.input(5), length = node.input(7);
  if (sharesBuffer && past && !length)
    return builder.error("expected past_sequence_length with past_present_share_buffer = 1");
  Node inner = node;
  inner.inputs = {query, node.input(1), node.input(2), node.input(10), node.input(3), node.input(4),
                  past, node.input(6),
                  // Without a shared buffer all of the past is in use.
                  sharesBuffer ? length : Tensor(), node.input(9)};
  return buildMultiHeadAttention(builder, inner);
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

/// Returns the product of the input and the weights, plus the bias: [B,S,columns].
static FailureOr<Tensor> project(Builder &builder, const Node &node) {
  const Tensor &x = node.inputs[0], &weights = node.inputs[1];
  Tensor bias = node.input(2);
  auto keep = [](Body &, Scalar x, AffineExpr) { return widen(x); };
  auto addBias = [bias](Body &body, Scalar total, ArrayRef<AffineExpr> at) {
    return total + readScalar(body, bias, at.back());
  };
  if (bias && (bias.rank() != 1 ||
               failed(builder.requireEqual(bias.dim(0), weights.dim(1), "bias and weights"))))
    return builder.error("expected a bias of rank 1, got " + Twine(bias.str()));
  MatMulOptions options{getAccumulator(x.dtype()), x.dtype(), keep, keep, nullptr};
  if (bias)
    options.epilogue = addBias;
  return matmul(builder, x, weights, options);
}

/// Returns what `project` returns, but for quantised operands. Inputs 3 and 4 are their scales;
/// inputs 6 and 7 are their zero points.
static FailureOr<Tensor> projectIntegers(Builder &builder, const Node &node) {
  Node product;
  product.inputs = {node.inputs[0], node.inputs[1], node.inputs[3], node.inputs[4],
                    node.input(6),  node.input(7),  node.inputs[2]};
  product.outputs = {true};
  auto result = findOperator("com.microsoft", "MatMulIntegerToFloat", 1)->build(builder, product);
  if (failed(result))
    return failure();
  return result->front();
}

/// Returns how many columns the queries, the keys and the values have.
static FailureOr<SmallVector<Size>> getColumns(Builder &builder, const Node &node) {
  const Tensor &weights = node.inputs[1];
  SmallVector<int64_t> given = node.getInts("qkv_hidden_sizes");
  if (given.size() == 3) {
    if (llvm::any_of(given, [](int64_t size) { return size < 1; }))
      return builder.error("expected positive qkv_hidden_sizes");
    if (failed(builder.requireEqual(weights.dim(1), Size(given[0]) + given[1] + given[2],
                                    "columns of the weights and qkv_hidden_sizes")))
      return failure();
    return SmallVector<Size>{given[0], given[1], given[2]};
  }
  std::optional<Size> third = weights.dim(1).divideExactly(3);
  if (!given.empty() || !third)
    return builder.error("expected three equal parts of the weights, got " + weights.str());
  return SmallVector<Size>(3, *third);
}

using ProjectFn = FailureOr<Tensor> (*)(Builder &, const Node &);

static FailureOr<Projections> getProjections(Builder &builder, const Node &node, int64_t heads,
                                             ProjectFn project) {
  const Tensor &x = node.inputs[0], &weights = node.inputs[1];
  if (x.rank() != 3 || weights.rank() != 2)
    return builder.error("expected an input of rank 3 and weights of rank 2, got " +
                         Twine(x.str()) + " and " + weights.str());
  FailureOr<SmallVector<Size>> columns = getColumns(builder, node);
  if (failed(columns))
    return failure();
  FailureOr<Tensor> all = project(builder, node);
  if (failed(all))
    return failure();
  Tensors parts;
  Size begin = 0;
  for (const Size &size : *columns) {
    FailureOr<Tensor> part = builder.slice(*all, 2, begin, size);
    if (failed(part))
      return failure();
    FailureOr<Tensor> split = splitHeads(builder, *part, heads);
    if (failed(split))
      return failure();
    parts.push_back(*split);
    begin = begin + size;
  }
  return Projections{parts[0], parts[1], parts[2]};
}

/// Returns element `index` of past [2,B,N,P,H].
static FailureOr<Tensor> takePast(Builder &builder, const Tensor &past, int64_t index) {
  FailureOr<Tensor> slice = builder.slice(past, 0, index, 1);
  if (failed(slice))
    return failure();
  return builder.reshape(*slice, past.shape().drop_front());
}

static FailureOr<Tensor> stack(Builder &builder, const Tensor &k, const Tensor &v) {
  Tensors rows;
  for (const Tensor &tensor : {k, v}) {
    SmallVector<Size> shape(tensor.shape());
    shape.insert(shape.begin(), Size(1));
    FailureOr<Tensor> row = builder.reshape(tensor, shape);
    if (failed(row))
      return failure();
    rows.push_back(*row);
  }
  return builder.concat(rows, 0);
}

static FailureOr<Tensors> attendTo(Builder &builder, const Node &node, ProjectFn project,
                                   const Tensor &mask, const Tensor &past, const Tensor &bias) {
  if (node.getInt("do_rotary", 0))
    return builder.unsupported("do_rotary = 1");
  FailureOr<int64_t> heads = getHeads(builder, node);
  if (failed(heads))
    return failure();
  FailureOr<Projections> parts = getProjections(builder, node, *heads, project);
  if (failed(parts))
    return failure();
  if (past) {
    if (past.rank() != 5 || failed(builder.requireEqual(past.dim(0), 2, "keys and values")))
      return builder.error("expected a past of rank 5, got " + Twine(past.str()));
    FailureOr<Tensor> pastKey = takePast(builder, past, 0), pastValue = takePast(builder, past, 1);
    if (failed(pastKey) || failed(pastValue) || failed(prepend(builder, *pastKey, parts->k)) ||
        failed(prepend(builder, *pastValue, parts->v)))
      return failure();
  }
  FailureOr<ScoreFn> adjust =
      getAdjust(builder, node, *parts, mask, bias, past ? past.dim(3) : Size(0));
  if (failed(adjust))
    return failure();
  FailureOr<Attended> attended = finish(builder, node, *parts, *adjust);
  if (failed(attended))
    return failure();
  Tensors results = {attended->result, Tensor()};
  if (node.hasOutput(1)) {
    FailureOr<Tensor> present = stack(builder, parts->k, parts->v);
    if (failed(present))
      return failure();
    results[1] = *present;
  }
  return results;
}

static FailureOr<Tensors> buildAttention(Builder &builder, const Node &node) {
  if (node.input(6) || node.getInt("past_present_share_buffer", 0))
    return builder.unsupported("a past that shares its buffer with the present");
  return attendTo(builder, node, project, node.input(3), node.input(4), node.input(5));
}

static FailureOr<Tensors> buildQAttention(Builder &builder, const Node &node) {
  return attendTo(builder, node, projectIntegers, node.input(5), node.input(8), Tensor());
}

OperatorRows getMicrosoftAttentionRows() {
  return {
      {"MultiHeadAttention",
       Signature{"query:T key?:T value?:T bias?:T key_padding_mask?:i32 attention_bias?:T "
                 "past_key?:T past_value?:T past_sequence_length?:i32 cache_indirection?:i32",
                 "num_heads!:int mask_filter_value:float scale:float unidirectional:int"},
       buildMultiHeadAttention},
      {"DecoderMaskedMultiHeadAttention",
       Signature{"query:T key?:T value?:T mask_index?:i32 attention_bias?:T past_key?:T "
                 "past_value?:T past_sequence_length?:i32 beam_width?:i32 cache_indirection?:i32 "
                 "bias?:T",
                 "num_heads!:int mask_filter_value:float scale:float output_qk:int "
                 "past_present_share_buffer:int"},
       buildDecoderMasked},
      {"Attention",
       Signature{
           "input:T weights:T bias?:T mask_index?:i32 past?:T attention_bias?:T "
           "past_sequence_length?:i32",
           "num_heads!:int unidirectional:int qkv_hidden_sizes:ints mask_filter_value:float "
           "scale:float do_rotary:int rotary_embedding_dim:int past_present_share_buffer:int"},
       buildAttention},
      {"QAttention",
       Signature{"input:int8 weight:int8 bias:f32 input_scale:f32 weight_scale:f32 mask_index?:i32 "
                 "input_zero_point?:int8 weight_zero_point?:int8 past?:f32",
                 "num_heads!:int unidirectional:int mask_filter_value:float scale:float "
                 "do_rotary:int past_present_share_buffer:int"},
       buildQAttention},
  };
}

} // namespace tssa::operators
