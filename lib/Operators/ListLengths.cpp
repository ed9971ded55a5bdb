//===- ListLengths.cpp - lists of unknown length --------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Operators/ListLengths.h"
#include "tssa/Builder/BodyScalar.h"
#include "tssa/Builder/Contraction.h"

using namespace mlir;

namespace tssa::operators {

namespace {
/// What a rule sees of a node.
struct Facts {
  const Node &node;
  DeclaredRankFn declaredRank;

  int64_t rank(unsigned input = 0) const { return node.inputs[input].rank(); }
  std::optional<int64_t> resultRank() const { return declaredRank(0); }
  /// The number of axes that the attribute 'axes' names; all without it.
  int64_t numAxes() const {
    size_t given = node.getInts("axes").size();
    return given ? static_cast<int64_t>(given) : rank();
  }
  /// `a` times the declared rank of the result, plus `b`.
  std::optional<int64_t> fromResult(int64_t a, int64_t b) const {
    std::optional<int64_t> declared = resultRank();
    return declared ? std::optional(a * *declared + b) : std::nullopt;
  }
};

using LengthFn = std::optional<int64_t> (*)(const Facts &);

/// The length of the last dim of input `input` of operator `op`.
struct Rule {
  StringRef op;
  unsigned input;
  LengthFn length;
};
} // namespace

static std::optional<int64_t> padsLength(const Facts &facts) {
  if (Tensor axes = facts.node.input(3)) {
    std::optional<int64_t> count = axes.numElements().constant();
    return count ? std::optional(2 * *count) : std::nullopt;
  }
  return 2 * facts.rank();
}

/// An empty list stands for one that is not given.
static std::optional<int64_t> scalesLength(const Facts &facts) {
  return facts.node.input(3) ? std::nullopt : std::optional(facts.numAxes());
}

static std::optional<int64_t> regionLength(const Facts &facts) {
  bool isUsed = facts.node.getString("coordinate_transformation_mode", "") == "tf_crop_and_resize";
  return isUsed ? std::optional(2 * facts.numAxes()) : std::nullopt;
}

/// How many lists there are beside it says nothing of a list's length but that it is theirs.
static std::optional<int64_t> sliceLength(const Facts &facts) {
  for (unsigned i = 1; i < facts.node.inputs.size(); ++i)
    if (Tensor list = facts.node.input(i))
      if (std::optional<int64_t> count = list.numElements().constant())
        return count;
  return std::nullopt;
}

static const Rule rules[] = {
    {"AffineGrid", 1, [](const Facts &f) { return f.resultRank(); }},
    {"CenterCropPad", 1, [](const Facts &f) { return std::optional(f.numAxes()); }},
    {"Col2Im", 1, [](const Facts &f) { return f.fromResult(1, -2); }},
    {"Col2Im", 2, [](const Facts &f) { return f.fromResult(1, -2); }},
    {"ConstantOfShape", 0, [](const Facts &f) { return f.resultRank(); }},
    {"Expand", 1, [](const Facts &f) { return f.resultRank(); }},
    {"GatherND", 1,
     [](const Facts &f) -> std::optional<int64_t> {
       int64_t batch = f.node.getInt("batch_dims", 0);
       if (batch < 0 || batch > f.rank())
         return std::nullopt;
       return f.fromResult(-1, f.rank() + f.rank(1) - 1 - batch);
     }},
    {"GridSample", 1, [](const Facts &f) { return std::optional(f.rank(1) - 2); }},
    {"MaxUnpool", 2, [](const Facts &f) { return std::optional(f.rank()); }},
    {"Pad", 1, padsLength},
    {"Reshape", 1, [](const Facts &f) { return f.resultRank(); }},
    {"Resize", 1, regionLength},
    {"Resize", 2, scalesLength},
    {"Resize", 3, [](const Facts &f) { return std::optional(f.numAxes()); }},
    {"ScatterND", 1,
     [](const Facts &f) { return std::optional(f.rank() + f.rank(1) - 1 - f.rank(2)); }},
    {"Slice", 1, sliceLength},
    {"Slice", 2, sliceLength},
    {"Slice", 3, sliceLength},
    {"Slice", 4, sliceLength},
    {"Split", 1, [](const Facts &f) { return std::optional<int64_t>(f.node.outputs.size()); }},
    {"Squeeze", 1, [](const Facts &f) { return f.fromResult(-1, f.rank()); }},
    {"Tile", 1, [](const Facts &f) { return std::optional(f.rank()); }},
    {"TopK", 1, [](const Facts &) { return std::optional<int64_t>(1); }},
    {"Unsqueeze", 1, [](const Facts &f) { return f.fromResult(1, -f.rank()); }},
    {"Upsample", 1, [](const Facts &f) { return std::optional(f.rank()); }},
};

/// `list` with `length` as its last dim.
static FailureOr<Tensor> withLength(Builder &builder, const Tensor &list, int64_t length) {
  int64_t last = list.rank() - 1;
  if (failed(
          builder.requireEqual(list.dim(last), length, "the length of a list and what it is for")))
    return failure();
  return builder.slice(list, last, 0, length);
}

//===----------------------------------------------------------------------===//
// Axes of reductions
//===----------------------------------------------------------------------===//

/// Per dim, how often `axes` names it; all of them are checked to name one.
static FailureOr<SmallVector<Size>> countAxes(Builder &builder, const Tensor &axes, int64_t rank) {
  ReducedDims reduced(1);
  unsigned slot = reduced.add(axes.dim(0));
  FailureOr<Tensor> counts =
      sum(builder, DType::I64, DType::I64, Size(rank), reduced, [&](Body &body) {
        Scalar axis = readScalar(body, axes, reduced.expr(body, slot));
        Scalar dim = indexScalar(body, body.dim(0), DType::I64);
        Scalar names = (axis == dim) | (axis == dim - dim.constant(static_cast<double>(rank)));
        return select(names, dim.constant(1), dim.constant(0));
      });
  if (failed(counts))
    return failure();
  FailureOr<SmallVector<Size>> sizes = builder.requireSizes(*counts, "axes");
  if (failed(sizes))
    return failure();
  Size total(0);
  for (const Size &count : *sizes)
    total = total + count;
  if (failed(builder.require(builder.isEqual(total, axes.dim(0)), "an axis is out of range")))
    return failure();
  return sizes;
}

/// A list of known length that names the same dims as `axes`: every dim, those that are
/// not reduced replaced by one that is, or, where dims are dropped, `numReduced` dims.
static FailureOr<Tensor> listReduced(Builder &builder, const Tensor &axes, int64_t rank,
                                     std::optional<int64_t> numReduced) {
  FailureOr<SmallVector<Size>> counts = countAxes(builder, axes, rank);
  if (failed(counts))
    return failure();
  Builder::Condition isEmpty = builder.isEqual(axes.dim(0), 0);
  SmallVector<Size> isReduced;
  Size total(0), first(rank);
  for (const Size &count : *counts) {
    isReduced.push_back(builder.select(isEmpty, 1, Size::min(count, 1)));
    total = total + isReduced.back();
  }
  for (int64_t dim = rank - 1; dim >= 0; --dim)
    first = builder.select(builder.isEqual(isReduced[dim], 1), dim, first);
  SmallVector<Size> list;
  if (!numReduced) {
    for (int64_t dim = 0; dim < rank; ++dim)
      list.push_back(builder.select(builder.isEqual(isReduced[dim], 1), dim, first));
    return builder.fromSizes(list);
  }
  if (failed(builder.requireEqual(total, *numReduced, "the number of axes and of dims that go")))
    return failure();
  list.assign(*numReduced, first);
  Size position(0);
  for (int64_t dim = 0; dim < rank; ++dim) {
    for (auto [i, entry] : llvm::enumerate(list)) {
      Size isHere = isReduced[dim] * builder.select(builder.isEqual(position, i), 1, 0);
      entry = builder.select(builder.isEqual(isHere, 1), dim, entry);
    }
    position = position + isReduced[dim];
  }
  return builder.fromSizes(list);
}

static LogicalResult settleReducedAxes(Builder &builder, Node &node, DeclaredRankFn declaredRank) {
  Tensor axes = node.input(1);
  // No axes may mean no reduction: then the dims of the result are not known.
  if (!axes || axes.rank() != 1 || axes.dim(0).constant() || node.getInt("noop_with_empty_axes", 0))
    return success();
  int64_t rank = node.inputs[0].rank();
  std::optional<int64_t> numReduced;
  if (node.getInt("keepdims", 1) == 0) {
    std::optional<int64_t> left = declaredRank(0);
    if (!left || *left > rank)
      return success();
    numReduced = rank - *left;
  }
  FailureOr<Tensor> list = listReduced(builder, axes, rank, numReduced);
  if (failed(list))
    return failure();
  node.inputs[1] = *list;
  return success();
}

LogicalResult settleListLengths(Builder &builder, Node &node, DeclaredRankFn declaredRank) {
  if (!node.domain.empty())
    return success();
  if (StringRef(node.op).starts_with("Reduce"))
    return settleReducedAxes(builder, node, declaredRank);
  for (const Rule &rule : rules) {
    Tensor list = rule.op == node.op ? node.input(rule.input) : Tensor();
    if (!list || list.rank() == 0 || list.shape().back().constant())
      continue;
    std::optional<int64_t> length = rule.length(Facts{node, declaredRank});
    if (!length || *length < 0)
      continue;
    FailureOr<Tensor> settled = withLength(builder, list, *length);
    if (failed(settled))
      return failure();
    node.inputs[rule.input] = *settled;
  }
  return success();
}

} // namespace tssa::operators
