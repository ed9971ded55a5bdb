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

static FailureOr<Tensor> finish(Builder &builder, const Node &node, const Projections &parts,
                                const ScoreFn &adjust) {
  FailureOr<double> scale = getScale(builder, node, parts.q);
  if (failed(scale))
    return failure();
  FailureOr<Tensor> heads = attend(builder, parts.q, parts.k, parts.v, {*scale, adjust, Tensor()});
  if (failed(heads))
    return failure();
  return mergeHeads(builder, *heads);
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

static FailureOr<Tensors> buildMultiHeadAttention(Builder &builder, const Node &node) {
  Tensor pastKey = node.input(6), pastValue = node.input(7);
  if (node.input(8) || node.input(9))
    return builder.unsupported("past_sequence_length and cache_indirection");
  if (!pastKey != !pastValue)
    return builder.error("expected past_key and past_value together");
  FailureOr<int64_t> heads = getHeads(builder, node);
  if (failed(heads))
    return failure();
  FailureOr<Projections> parts = getParts(builder, node, *heads);
  if (failed(parts))
    return failure();
  Size past = 0;
  if (pastKey) {
    if (failed(prepend(builder, pastKey, parts->k)) ||
        failed(prepend(builder, pastValue, parts->v)))
      return failure();
    past = pastKey.dim(2);
  }
  FailureOr<ScoreFn> adjust = getAdjust(builder, node, *parts, node.input(4), node.input(5), past);
  if (failed(adjust))
    return failure();
  FailureOr<Tensor> result = finish(builder, node, *parts, *adjust);
  if (failed(result))
    return failure();
  return Tensors{*result, parts->k, parts->v};
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
  FailureOr<Tensor> result = finish(builder, node, *parts, *adjust);
  if (failed(result))
    return failure();
  Tensors results = {*result, Tensor()};
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
