//===- Attend.cpp - common parts of all kinds of attention -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/Microsoft/Attend.h"
#include "tssa/Builder/Contraction.h"
#include "tssa/Builder/Indexing.h"
#include <limits>

using namespace mlir;

namespace tssa::operators {

//===----------------------------------------------------------------------===//
// Scores and values
//===----------------------------------------------------------------------===//

/// Returns how many heads of `q` share each head of `k`.
static FailureOr<int64_t> getShare(Builder &builder, const Tensor &q, const Tensor &k) {
  std::optional<int64_t> heads = q.dim(1).constant(), shared = k.dim(1).constant();
  if (!heads || !shared)
    return builder.unsupported("heads whose number is not known");
  if (*shared < 1 || *heads % *shared != 0)
    return builder.error(Twine(*shared) + " heads of keys do not divide " + Twine(*heads) +
                         " heads of queries");
  return *heads / *shared;
}

static FailureOr<Tensor> getScores(Builder &builder, const Tensor &q, const Tensor &k,
                                   int64_t share, const AttentionOptions &options) {
  DType wide = getAccumulator(q.dtype());
  SmallVector<Size> shape = {q.dim(0), q.dim(1), q.dim(2), k.dim(2)};
  ReducedDims reduced(4);
  unsigned slot = reduced.add(q.dim(3));
  return sum(
      builder, wide, wide, shape, reduced,
      [&](Body &body) {
        AffineExpr h = reduced.expr(body, slot), b = body.dim(0), n = body.dim(1);
        return readScalar(body, q, {b, n, body.dim(2), h}) *
               readScalar(body, k, {b, n.floorDiv(share), body.dim(3), h});
      },
      [&](Body &body, Scalar total) {
        Scalar score = total * options.scale;
        return options.adjust ? options.adjust(body, score, body.dims(0, 4)) : score;
      });
}

/// Returns the softmax of the last dim of `scores`.
static FailureOr<Tensor> getWeights(Builder &builder, const Tensor &scores,
                                    const AttentionOptions &options) {
  DType wide = scores.dtype();
  bool hasSink = options.sink || options.hasZeroSink;
  SmallVector<Size> rows(scores.shape().drop_back());
  ReducedDims reduced(3);
  unsigned slot = reduced.add(scores.dim(3));
  auto readScore = [&](Body &body) {
    SmallVector<AffineExpr> at = body.dims(0, 3);
    at.push_back(reduced.expr(body, slot));
    return readScalar(body, scores, at);
  };
  auto readSink = [&](Body &body) {
    Scalar zero = constantScalar(body, wide, 0);
    return options.sink ? convert(readScalar(body, options.sink, body.dim(1)), zero.getType())
                        : zero;
  };
  auto finishGreatest = [&](Body &body, Scalar greatest) { return max(greatest, readSink(body)); };
  FailureOr<Tensor> greatest =
      combine(builder, te::Combiner::Max, wide, wide, rows, reduced, readScore,
              hasSink ? EpilogueFn(finishGreatest) : EpilogueFn());
  if (failed(greatest))
    return failure();
  FailureOr<Tensor> inverse = sum(
      builder, wide, wide, rows, reduced,
      [&](Body &body) {
        return exp(readScore(body) - readScalar(body, *greatest, body.dims(0, 3)));
      },
      [&](Body &body, Scalar total) {
        if (hasSink)
          total = total + exp(readSink(body) - readScalar(body, *greatest, body.dims(0, 3)));
        return 1.0 / total;
      });
  if (failed(inverse))
    return failure();
  return builder.compute(wide, scores.shape(), [&](Body &body) {
    SmallVector<AffineExpr> row = body.dims(0, 3);
    Scalar shifted = readScalar(body, scores, body.dims(0, 4)) - readScalar(body, *greatest, row);
    return (exp(shifted) * readScalar(body, *inverse, row)).getValue();
  });
}

FailureOr<Attended> attend(Builder &builder, const Tensor &q, const Tensor &k, const Tensor &v,
                           const AttentionOptions &options) {
  FailureOr<int64_t> share = getShare(builder, q, k);
  if (failed(share))
    return failure();
  if (failed(builder.requireEqual(q.dim(3), k.dim(3), "head sizes of queries and keys")) ||
      failed(builder.requireEqual(k.dim(2), v.dim(2), "lengths of keys and values")) ||
      failed(builder.requireEqual(k.dim(1), v.dim(1), "heads of keys and values")) ||
      failed(builder.requireEqual(q.dim(0), k.dim(0), "batches of queries and keys")) ||
      failed(builder.requireEqual(q.dim(0), v.dim(0), "batches of queries and values")))
    return failure();
  FailureOr<Tensor> scores = getScores(builder, q, k, *share, options);
  if (failed(scores))
    return failure();
  FailureOr<Tensor> weights = getWeights(builder, *scores, options);
  if (failed(weights))
    return failure();
  ReducedDims reduced(4);
  unsigned slot = reduced.add(k.dim(2));
  FailureOr<Tensor> result =
      sum(builder, scores->dtype(), q.dtype(), {q.dim(0), q.dim(1), q.dim(2), v.dim(3)}, reduced,
          [&](Body &body) {
            AffineExpr t = reduced.expr(body, slot), b = body.dim(0), n = body.dim(1);
            return readScalar(body, *weights, {b, n, body.dim(2), t}) *
                   readScalar(body, v, {b, n.floorDiv(*share), t, body.dim(3)});
          });
  if (failed(result))
    return failure();
  return Attended{*result, *scores, *weights};
}

//===----------------------------------------------------------------------===//
// Heads
//===----------------------------------------------------------------------===//

FailureOr<Tensor> splitHeads(Builder &builder, const Tensor &x, int64_t heads) {
  if (x.rank() != 3)
    return builder.error("expected a tensor of rank 3, got " + Twine(x.str()));
  std::optional<Size> size = x.dim(2).divideExactly(heads);
  if (!size)
    return builder.error("expected the last dim to be divisible by the " + Twine(heads) +
                         " heads, got " + x.str());
  FailureOr<Tensor> split = builder.reshape(x, {x.dim(0), x.dim(1), Size(heads), *size});
  if (failed(split))
    return failure();
  return builder.transpose(*split, {0, 2, 1, 3});
}

FailureOr<Tensor> mergeHeads(Builder &builder, const Tensor &x) {
  FailureOr<Tensor> moved = builder.transpose(x, {0, 2, 1, 3});
  if (failed(moved))
    return failure();
  return builder.reshape(*moved, {x.dim(0), x.dim(2), x.dim(1) * x.dim(3)});
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

FailureOr<int64_t> getRotarySize(Builder &builder, const Tensor &cos, const Tensor &sin,
                                 const Size &headSize, int64_t given) {
  if (cos.rank() != 2 || sin.rank() != 2)
    return builder.error("expected caches of rank 2, got " + Twine(cos.str()) + " and " +
                         sin.str());
  std::optional<int64_t> head = headSize.constant();
  if (!head)
    return builder.unsupported("heads whose size is not known");
  int64_t size = given ? given : *head;
  if (size < 2 || size % 2 != 0 || size > *head)
    return builder.error("expected the number of rotated elements to be even and in [2, " +
                         Twine(*head) + "], got " + Twine(size));
  if (failed(builder.requireEqual(cos.dim(0), sin.dim(0), "rows of cos_cache and sin_cache")) ||
      failed(builder.requireEqual(cos.dim(1), size / 2, "columns of cos_cache")) ||
      failed(builder.requireEqual(sin.dim(1), size / 2, "columns of sin_cache")))
    return failure();
  return size;
}

FailureOr<Tensor> rotate(Builder &builder, const Tensor &x, const RotaryOptions &options) {
  int64_t size = options.size, half = size / 2;
  return builder.compute(x.dtype(), x.shape(), [&](Body &body) {
    SmallVector<AffineExpr> at = body.dims(0, 4), other = at;
    AffineExpr h = at[3] % size;
    AffineExpr column = options.isInterleaved ? h.floorDiv(2) : h % half;
    other[3] = options.isInterleaved ? h + 1 - 2 * (h % 2) : (h + half) % size;
    AffineExpr isSecond = options.isInterleaved ? h % 2 : h.floorDiv(half);
    AffineExpr row = dataIndex(body, options.position(body, at[0], at[2]), options.cos.dim(0));
    Scalar here = readScalar(body, x, at), there = readScalar(body, x, other);
    Scalar turned = there * convert(readScalar(body, options.sin, {row, column}), here.getType());
    turned = select(indexScalar(body, isSecond, DType::I64) == 0.0, -turned, turned);
    turned = here * convert(readScalar(body, options.cos, {row, column}), here.getType()) + turned;
    if (!x.dim(3).isConstant(size)) {
      Scalar isTurned = toScalar(body, body.inside(size - 1 - at[3]), DType::Bool);
      turned = select(isTurned, turned, here);
    }
    return toElement(body, turned, x.dtype());
  });
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

ScoreFn chain(ScoreFn first, ScoreFn second) {
  if (!first || !second)
    return first ? first : second;
  return [=](Body &body, Scalar score, ArrayRef<AffineExpr> at) {
    return second(body, first(body, score, at), at);
  };
}

ScoreFn getCausal(const Size &past, DType type) {
  // The score of an excluded key is the least f16 in a model in f16, else the least f32.
  double least = type == DType::F16 ? -65504.0 : std::numeric_limits<float>::lowest();
  return [=](Body &body, Scalar score, ArrayRef<AffineExpr> at) {
    Value isSeen = body.inside(at[2] + body.size(past) - at[3]);
    return select(toScalar(body, isSeen, DType::Bool), score, least);
  };
}

FailureOr<ScoreFn> getBias(Builder &builder, const Tensor &bias, ArrayRef<Size> shape) {
  if (!bias)
    return ScoreFn();
  bool fits = bias.rank() == 4;
  for (int64_t i = 0; fits && i < 4; ++i)
    fits = (i < 2 && bias.dim(i).isConstant(1)) || !bias.dim(i).differs(shape[i]);
  if (!fits)
    return builder.error("expected a bias of the scores that broadcasts to " +
                         Tensor(bias.dtype(), shape).str() + ", got " + bias.str());
  for (int64_t i : {2, 3})
    if (failed(builder.requireEqual(bias.dim(i), shape[i], "a bias and the scores")))
      return failure();
  SmallVector<Size> common(shape);
  return ScoreFn([=](Body &body, Scalar score, ArrayRef<AffineExpr> at) {
    Scalar added = widen(toScalar(body, body.readBroadcast(bias, common, at), bias.dtype()));
    return score + convert(added, score.getType());
  });
}

/// Returns a function that excludes all keys outside [begin, end). `bounds` has first the ends of
/// all samples. If `begins` is not 0, the begins of all samples stand `begins` elements after their
/// ends.
static ScoreFn maskByBounds(const Tensor &bounds, double filter, const Size &begins) {
  return [=](Body &body, Scalar score, ArrayRef<AffineExpr> at) {
    Scalar key = indexScalar(body, at[3], DType::I64);
    Type type = body.ops.getI64Type();
    Scalar isMasked = key >= convert(readScalar(body, bounds, at[0]), type);
    if (!begins.isConstant(0)) {
      Scalar begin = convert(readScalar(body, bounds, at[0] + body.size(begins)), type);
      isMasked = isMasked | ((sizeScalar(body, begins) > 0.0) & (key < begin));
    }
    return select(isMasked, score + filter, score);
  };
}

/// Returns the function for a mask of rank 1. Its number of elements, which may be known only at a
/// run, says what it has: the ends of the keys; the ends and then the begins; or the ends and then
/// the begins of all rows of a packed batch, which follow from the other inputs.
static FailureOr<ScoreFn> getBounds(Builder &builder, const Tensor &mask, double filter,
                                    const Size &batch) {
  const Size &count = mask.dim(0), both = batch * 2, packed = batch * 3 + 2;
  Builder::Condition hasBegins = builder.isEqual(count, both);
  Builder::Condition isPacked = builder.isEqual(count, packed);
  Size wanted = builder.select(hasBegins, both, builder.select(isPacked, packed, batch));
  if (failed(builder.requireEqual(count, wanted, "a mask and the batch")))
    return failure();
  return maskByBounds(mask, filter, builder.select(hasBegins, batch, 0));
}

static ScoreFn maskByFlags(const Tensor &flags, double filter) {
  return [=](Body &body, Scalar score, ArrayRef<AffineExpr> at) {
    SmallVector<AffineExpr> position = {at[0], at[3]};
    if (flags.rank() == 3)
      position.insert(position.begin() + 1, at[2]);
    return select(readScalar(body, flags, position) > 0.0, score, score + filter);
  };
}

FailureOr<ScoreFn> getMask(Builder &builder, const Tensor &mask, double filter, const Size &batch,
                           const Size &queries, const Size &keys) {
  if (!mask)
    return ScoreFn();
  if (mask.rank() == 1)
    return getBounds(builder, mask, filter, batch);
  if (mask.rank() != 2 && mask.rank() != 3)
    return builder.unsupported("a mask of rank " + Twine(mask.rank()));
  if (failed(builder.requireEqual(mask.dim(0), batch, "a mask and the batch")) ||
      failed(builder.requireEqual(mask.shape().back(), keys, "a mask and the keys")) ||
      (mask.rank() == 3 &&
       failed(builder.requireEqual(mask.dim(1), queries, "a mask and the queries"))))
    return failure();
  return maskByFlags(mask, filter);
}

} // namespace tssa::operators
