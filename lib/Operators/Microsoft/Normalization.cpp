//===- Normalization.cpp - fused sums and normalisations -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/ONNX/Normalization.h"
#include "lib/Operators/Families.h"
#include "lib/Operators/ONNX/Elementwise.h"
#include "tssa/Builder/BodyScalar.h"
#include "tssa/Builder/Contraction.h"
#include "tssa/Builder/Indexing.h"
#include "tssa/Builder/Shapes.h"

using namespace mlir;

namespace tssa::operators {

//===----------------------------------------------------------------------===//
// Normalisation of a sum
//===----------------------------------------------------------------------===//

/// Adds the tensors in `addends` that are not null to `x`. They broadcast to `x`.
static FailureOr<Tensor> addAll(Builder &builder, const Tensor &x, ArrayRef<Tensor> addends) {
  Tensors operands = {x};
  llvm::copy_if(addends, std::back_inserter(operands),
                [](const Tensor &tensor) { return bool(tensor); });
  for (const Tensor &operand : operands)
    if (failed(requireBroadcast(builder, operand, x.shape(), "an addend")))
      return failure();
  FailureOr<Tensors> sum = buildElementwise(builder, x.dtype(), operands, [](ArrayRef<Scalar> x) {
    Scalar total = x.front();
    for (const Scalar &operand : x.drop_front())
      total = total + operand;
    return total;
  });
  if (failed(sum))
    return failure();
  return sum->front();
}

/// Appends the statistics that are outputs 1 and 2 of `node`, if these outputs are used.
static LogicalResult addStatistics(Builder &builder, const Node &node, const NormalizedLayer &layer,
                                   int64_t rank, Tensors &results) {
  for (unsigned i : {1, 2}) {
    const Tensor &statistic = i == 1 ? layer.mean : layer.inverse;
    if (!node.hasOutput(i) || !statistic)
      continue;
    FailureOr<Tensor> output = keepStatisticDims(builder, statistic, rank);
    if (failed(output))
      return failure();
    results[i] = *output;
  }
  return success();
}

static FailureOr<Tensors> buildSkipLayerNormalization(Builder &builder, const Node &node,
                                                      bool isCentered) {
  const Tensor &x = node.inputs[0], &skip = node.inputs[1];
  Tensor beta = isCentered ? node.input(3) : Tensor(), bias = node.input(isCentered ? 4 : 3);
  if (x.rank() < 1)
    return builder.error("expected an input of rank 1 or more, got " + Twine(x.str()));
  FailureOr<Tensor> total = addAll(builder, x, {skip, bias});
  if (failed(total))
    return failure();
  FailureOr<NormalizedLayer> layer = normalizeLayer(
      builder, *total,
      {x.rank() - 1, node.getFloat("epsilon", 1e-12), isCentered, node.inputs[2], beta});
  if (failed(layer))
    return failure();
  Tensors results = {layer->result, Tensor(), Tensor(), *total};
  if (failed(addStatistics(builder, node, *layer, x.rank(), results)))
    return failure();
  return results;
}

static FailureOr<Tensors> buildSimplified(Builder &builder, const Node &node) {
  const Tensor &x = node.inputs[0];
  FailureOr<int64_t> axis = builder.normalizeAxis(node.getInt("axis", -1), x.rank());
  if (failed(axis))
    return failure();
  FailureOr<NormalizedLayer> layer = normalizeLayer(
      builder, x,
      {*axis, node.getFloat("epsilon", 1e-5), /*isCentered=*/false, node.inputs[1], Tensor()});
  if (failed(layer))
    return failure();
  FailureOr<Tensor> inverse = keepStatisticDims(builder, layer->inverse, x.rank());
  if (failed(inverse))
    return failure();
  return Tensors{layer->result, *inverse};
}

//===----------------------------------------------------------------------===//
// Embeddings
//===----------------------------------------------------------------------===//

/// Reads element `column` of the row of `table` whose index is the element of `ids` at `at`.
static Scalar readRow(Body &body, const Tensor &table, const Tensor &ids, ArrayRef<AffineExpr> at,
                      AffineExpr column) {
  AffineExpr row = dataIndex(body, ids, at, table.dim(0));
  return readScalar(body, table, {row, column});
}

/// Returns for each row of `mask` how many elements are 1. Returns zeros if there is no mask.
static FailureOr<Tensor> countMask(Builder &builder, const Tensor &mask, const Size &batch) {
  if (!mask)
    return builder.fill(DType::I32, batch, 0);
  ReducedDims reduced(1);
  unsigned slot = reduced.add(mask.dim(1));
  return sum(builder, DType::I32, DType::I32, batch, reduced, [&](Body &body) {
    Scalar element = readScalar(body, mask, {body.dim(0), reduced.expr(body, slot)});
    return convert(element == 1.0, body.ops.getI32Type());
  });
}

static LogicalResult checkEmbedding(Builder &builder, const Node &node) {
  const Tensor &ids = node.inputs[0], &words = node.inputs[2];
  for (unsigned i : {2, 3, 4})
    if (Tensor table = node.input(i); table && table.rank() != 2)
      return builder.error("expected an embedding of rank 2, got " + Twine(table.str()));
  for (unsigned i : {3, 4})
    if (Tensor table = node.input(i);
        table && failed(builder.requireEqual(table.dim(1), words.dim(1), "sizes of embeddings")))
      return failure();
  if (ids.rank() != 2)
    return builder.error("expected input_ids of rank 2, got " + Twine(ids.str()));
  if (node.input(1).operator bool() != node.input(4).operator bool())
    return builder.error("expected segment_ids and segment_embedding together");
  for (unsigned i : {1, 7, 8})
    if (Tensor other = node.input(i)) {
      if (other.rank() != 2)
        return builder.error("expected an input of rank 2, got " + Twine(other.str()));
      bool isShared = i == 8 && other.dim(0).isConstant(1);
      if ((!isShared && failed(builder.requireEqual(other.dim(0), ids.dim(0), "batches"))) ||
          failed(builder.requireEqual(other.dim(1), ids.dim(1), "lengths of sequences")))
        return failure();
    }
  return success();
}

static FailureOr<Tensors> buildEmbedLayerNormalization(Builder &builder, const Node &node) {
  if (failed(checkEmbedding(builder, node)))
    return failure();
  const Tensor &ids = node.inputs[0], &words = node.inputs[2], &positions = node.inputs[3];
  Tensor segmentIds = node.input(1), segments = node.input(4), positionIds = node.input(8);
  SmallVector<Size> shape = {ids.dim(0), ids.dim(1), words.dim(1)};
  if (!positionIds &&
      failed(builder.requireNonNegative(positions.dim(0) - ids.dim(1),
                                        "rows of position_embedding minus the sequence length")))
    return failure();
  FailureOr<Tensor> total = builder.compute(words.dtype(), shape, [&](Body &body) {
    SmallVector<AffineExpr> at = body.dims(0, 2), position = at;
    AffineExpr column = body.dim(2);
    Scalar result = readRow(body, words, ids, at, column);
    if (positionIds && positionIds.dim(0).isConstant(1))
      position[0] = body.constantExpr(0);
    result = result + (positionIds ? readRow(body, positions, positionIds, position, column)
                                   : readScalar(body, positions, {at[1], column}));
    if (segments)
      result = result + readRow(body, segments, segmentIds, at, column);
    return toElement(body, result, words.dtype());
  });
  if (failed(total))
    return failure();
  FailureOr<NormalizedLayer> layer = normalizeLayer(
      builder, *total,
      {2, node.getFloat("epsilon", 1e-12), /*isCentered=*/true, node.inputs[5], node.inputs[6]});
  FailureOr<Tensor> count = countMask(builder, node.input(7), ids.dim(0));
  if (failed(layer) || failed(count))
    return failure();
  return Tensors{layer->result, *count, *total};
}

//===----------------------------------------------------------------------===//
// Groups of channels
//===----------------------------------------------------------------------===//

/// Returns the permutation that moves dim `from` to position `to`.
static SmallVector<int64_t> moveDim(int64_t rank, int64_t from, int64_t to) {
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  order.erase(order.begin() + from);
  order.insert(order.begin() + to, from);
  return order;
}

static FailureOr<Tensor> buildGroups(Builder &builder, const Node &node, Tensor x) {
  bool isLast = node.getInt("channels_last", 1) != 0;
  const Tensor &scale = node.inputs[1], &bias = node.inputs[2];
  int64_t rank = x.rank();
  if (rank < 3)
    return builder.error("expected an input of rank 3 or more, got " + Twine(x.str()));
  for (const Tensor &factor : {scale, bias})
    if (factor.rank() != 1 ||
        failed(builder.requireEqual(factor.dim(0), x.dim(isLast ? rank - 1 : 1),
                                    "a scale or bias and the channels")))
      return builder.error("expected a scale and a bias per channel, got " + factor.str());
  FailureOr<Tensor> first = x;
  if (isLast)
    first = builder.transpose(x, moveDim(rank, rank - 1, 1));
  if (failed(first))
    return failure();
  FailureOr<Tensor> result = normalizeGroups(
      builder, *first, {node.getInt("groups", 0), node.getFloat("epsilon", 1e-5), scale, bias});
  if (failed(result))
    return failure();
  if (node.getInt("activation", 0) == 1) {
    FailureOr<Tensors> active = buildElementwise(
        builder, x.dtype(), *result, [](ArrayRef<Scalar> x) { return x[0] * sigmoid(x[0]); });
    if (failed(active))
      return failure();
    result = active->front();
  }
  return isLast ? builder.transpose(*result, moveDim(rank, 1, rank - 1)) : result;
}

static FailureOr<Tensors> buildGroupNorm(Builder &builder, const Node &node) {
  return single(buildGroups(builder, node, node.inputs[0]));
}

static FailureOr<Tensors> buildSkipGroupNorm(Builder &builder, const Node &node) {
  const Tensor &x = node.inputs[0];
  Tensor skip = node.inputs[3];
  if (skip.rank() == 2 && x.rank() == 4) {
    FailureOr<Tensor> wide = builder.reshape(skip, {skip.dim(0), 1, 1, skip.dim(1)});
    if (failed(wide))
      return failure();
    skip = *wide;
  }
  if (node.getInt("channels_last", 1) == 0)
    return builder.unsupported("channels_last = 0");
  FailureOr<Tensor> total = addAll(builder, x, {skip, node.input(4)});
  if (failed(total))
    return failure();
  FailureOr<Tensor> result = buildGroups(builder, node, *total);
  if (failed(result))
    return failure();
  return Tensors{*result, *total};
}

OperatorRows getMicrosoftNormalizationRows() {
  const char *groups = "epsilon:float groups!:int activation:int channels_last:int";
  const Signature simplified{"X:T scale:float", "axis:int epsilon:float stash_type:int"};
  return {
      {"SkipLayerNormalization",
       Signature{"input:T skip:T gamma:T beta?:T bias?:T", "epsilon:float"},
       bindBack(buildSkipLayerNormalization, /*isCentered=*/true)},
      {"SkipSimplifiedLayerNormalization",
       Signature{"input:T skip:T gamma:T bias?:T", "epsilon:float"},
       bindBack(buildSkipLayerNormalization, /*isCentered=*/false)},
      {"SimplifiedLayerNormalization", simplified, buildSimplified},
      // ONNX Runtime writes this operator with the standard domain.
      {"SimplifiedLayerNormalization", Domain{""}, simplified, buildSimplified},
      {"EmbedLayerNormalization",
       Signature{"input_ids:index segment_ids?:index word_embedding:T position_embedding:T "
                 "segment_embedding?:T gamma:T beta:T mask?:index position_ids?:index",
                 "epsilon:float mask_index_type:int"},
       buildEmbedLayerNormalization},
      {"GroupNorm", Signature{"X:T gamma:float beta:float", groups}, buildGroupNorm},
      {"SkipGroupNorm", Signature{"X:T gamma:float beta:float skip:T bias?:T", groups},
       buildSkipGroupNorm},
  };
}

} // namespace tssa::operators
