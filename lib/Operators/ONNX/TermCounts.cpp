//===- TermCounts.cpp - counting occurrences of known terms -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// TfIdfVectorizer counts the occurrences of each term, a sequence of numbers, in each row. Then it
/// adds each count to an element of the result.
///
//===----------------------------------------------------------------------===//

#include "lib/Operators/Families.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tssa/Builder/Contraction.h"
#include "tssa/Builder/Elements.h"
#include "tssa/Builder/Indexing.h"

using namespace mlir;

namespace tssa::operators {

namespace {
struct Terms {
  int64_t longest = 0;
  SmallVector<SmallVector<int64_t>> tokens; ///< the numbers of each term
  SmallVector<int64_t> indexes;
  SmallVector<double> weights;
  int64_t width = 0; ///< of the result
};
} // namespace

/// Returns the terms of the pool whose lengths are in the range that the node specifies.
static FailureOr<Terms> getTerms(Builder &builder, const Node &node) {
  SmallVector<int64_t> pool = node.getInts("pool_int64s"), begins = node.getInts("ngram_counts"),
                       indexes = node.getInts("ngram_indexes");
  SmallVector<double> weights = node.getFloats("weights");
  int64_t least = node.getInt("min_gram_length", 1), most = node.getInt("max_gram_length", 1);
  if (node.has("pool_strings"))
    return builder.unsupported("terms of strings");
  if (least < 1 || most < least)
    return builder.error("expected the lengths of terms to be a range from at least 1, got " +
                         Twine(least) + " to " + Twine(most));
  Terms terms;
  size_t number = 0;
  for (size_t i = 0; i < begins.size(); ++i) {
    int64_t length = i + 1, end = i + 1 < begins.size() ? begins[i + 1] : pool.size();
    if (begins[i] < 0 || end < begins[i] || end > static_cast<int64_t>(pool.size()) ||
        (end - begins[i]) % length != 0)
      return builder.error("'ngram_counts' does not fit the pool of " + Twine(pool.size()));
    for (int64_t at = begins[i]; at < end; at += length, ++number) {
      if (number >= indexes.size() || indexes[number] < 0 || indexes[number] == INT64_MAX)
        return builder.error("expected an index in 'ngram_indexes' for each term");
      if (!weights.empty() && number >= weights.size())
        return builder.error("expected a weight for each term");
      terms.width = std::max(terms.width, indexes[number] + 1);
      if (length < least || length > most)
        continue;
      terms.tokens.emplace_back(pool.begin() + at, pool.begin() + at + length);
      terms.indexes.push_back(indexes[number]);
      terms.weights.push_back(weights.empty() ? 1.0 : weights[number]);
      terms.longest = std::max(terms.longest, length);
    }
  }
  // The body has a comparison for each number of the longest term. The table has a row for each
  // term, as long as the longest term.
  constexpr int64_t maxLength = 256, maxNumbers = 1 << 24;
  if (terms.longest > maxLength ||
      static_cast<int64_t>(terms.tokens.size()) * terms.longest > maxNumbers)
    return builder.limit(Twine(terms.tokens.size()) + " terms of up to " + Twine(terms.longest) +
                         " numbers");
  return terms;
}

static Tensor makeTable(Builder &builder, ArrayRef<int64_t> shape, ArrayRef<int64_t> values) {
  return builder.constant(DType::I64, fromInts(builder.context(), DType::I64, shape, values));
}

/// Returns the number of occurrences of each term in each row, f32[rows, terms]. Up to `skips`
/// numbers may lie between two consecutive numbers of a term.
static FailureOr<Tensor> countTerms(Builder &builder, const Tensor &x, const Terms &terms,
                                    int64_t skips) {
  int64_t count = terms.tokens.size();
  SmallVector<int64_t> flat, lengths;
  for (ArrayRef<int64_t> tokens : terms.tokens) {
    lengths.push_back(tokens.size());
    for (int64_t i = 0; i < terms.longest; ++i)
      flat.push_back(i < lengths.back() ? tokens[i] : 0);
  }
  Tensor table = makeTable(builder, {count, terms.longest}, flat);
  Tensor lengthTable = makeTable(builder, count, lengths);
  ReducedDims reduced(2);
  unsigned skip = reduced.add(skips + 1), start = reduced.add(x.dim(1));
  auto pad = cast<TypedAttr>(builder.ops.getZeroAttr(getElementType(builder.context(), x.dtype())));
  return sum(builder, DType::F32, DType::F32, {x.dim(0), Size(count)}, reduced, [&](Body &body) {
    AffineExpr distance = reduced.expr(body, skip) + 1, begin = reduced.expr(body, start);
    Scalar length = readScalar(body, lengthTable, body.dim(1));
    // A term of one number would match once for each distance, so such a term is counted only at
    // distance 1.
    Scalar matches = (length > 1.0) | (indexScalar(body, distance, DType::I64) == 1.0);
    for (int64_t i = 0; i < terms.longest; ++i) {
      AffineExpr position = begin + distance * i, inside = body.size(x.dim(1)) - 1 - position;
      SmallVector<AffineExpr> guard;
      if (i > 0)
        guard.push_back(inside);
      Scalar token =
          convert(toScalar(body, body.read(x, {body.dim(0), position}, guard, pad), x.dtype()),
                  body.ops.getI64Type());
      Scalar isSame = token == readScalar(body, table, {body.dim(1), body.constantExpr(i)});
      if (i > 0)
        isSame = isSame & toScalar(body, body.inside(guard), DType::Bool);
      matches = matches & (isSame | (length <= static_cast<double>(i)));
    }
    return convert(matches, body.ops.getF32Type());
  });
}

static FailureOr<Tensors> buildTfIdfVectorizer(Builder &builder, const Node &node) {
  Tensor x = node.inputs[0];
  StringRef mode = node.getString("mode", "TF");
  if (mode != "TF" && mode != "IDF" && mode != "TFIDF")
    return builder.error("expected TF, IDF or TFIDF as 'mode', got '" + mode + "'");
  if (x.rank() < 1 || x.rank() > 2)
    return builder.error("expected an input of rank 1 or 2, got " + x.str());
  FailureOr<Terms> terms = getTerms(builder, node);
  if (failed(terms))
    return failure();
  int64_t skips = node.getInt("max_skip_count", 0);
  if (skips < 0 || skips > 1000)
    return builder.error("expected a 'max_skip_count' from 0 to 1000, got " + Twine(skips));
  FailureOr<Tensor> rows =
      x.rank() == 2 ? FailureOr<Tensor>(x) : builder.reshape(x, {Size(1), x.dim(0)});
  if (failed(rows))
    return failure();
  FailureOr<Tensor> counts = countTerms(builder, *rows, *terms, skips);
  FailureOr<Tensor> empty = builder.fill(DType::F32, {rows->dim(0), Size(terms->width)}, 0);
  if (failed(counts) || failed(empty))
    return failure();
  SmallVector<Attribute> weights;
  for (double weight : terms->weights)
    weights.push_back(builder.ops.getF32FloatAttr(weight));
  int64_t count = weights.size();
  Tensor indexes = makeTable(builder, count, terms->indexes);
  Tensor weightTable = builder.constant(
      DType::F32, fromAttributes(RankedTensorType::get(count, builder.ops.getF32Type()), weights));
  auto write = [&](Body &body) {
    Scalar number = readScalar(body, *counts, {body.dim(0), body.dim(1)});
    if (mode == "IDF")
      number = atMost(number, 1.0);
    if (mode != "TF")
      number = number * readScalar(body, weightTable, body.dim(1));
    AffineExpr position = dataIndex(body, indexes, body.dim(1), terms->width);
    return Builder::Write{number.getValue(), {body.dim(0), position}, {}};
  };
  auto add = [](Body &body, ValueRange values) -> SmallVector<Value> {
    return {arith::AddFOp::create(body.ops, body.loc, values[0], values[1])};
  };
  FailureOr<Tensor> result = builder.update(*empty, {rows->dim(0), Size(count)}, write, add);
  if (failed(result))
    return failure();
  return single(x.rank() == 2 ? result : builder.reshape(*result, Size(terms->width)));
}

OperatorRows getTermCountsRows() { return {{"TfIdfVectorizer", buildTfIdfVectorizer}}; }

} // namespace tssa::operators
