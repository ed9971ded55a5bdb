//===- Movement.cpp - operators that move elements -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/Families.h"
#include "tssa/Builder/BodyScalar.h"
#include "tssa/Builder/Elements.h"
#include "tssa/Builder/Limits.h"
#include "tssa/Builder/Shapes.h"

using namespace mlir;

namespace tssa::operators {

static FailureOr<Tensors> buildTranspose(Builder &b, const Node &node) {
  const Tensor &x = node.inputs[0];
  SmallVector<int64_t> reversed;
  for (int64_t i = x.rank(); i-- > 0;)
    reversed.push_back(i);
  SmallVector<int64_t> permutation = node.getInts("perm", reversed);
  if (static_cast<int64_t>(permutation.size()) != x.rank())
    return b.error("perm has " + Twine(permutation.size()) + " axes, expected " + Twine(x.rank()));
  FailureOr<SmallVector<int64_t>> axes = b.normalizeAxes(permutation, x.rank());
  if (failed(axes))
    return failure();
  return single(b.transpose(x, *axes));
}

/// Returns the inputs, tensors of strings, with indexes into one table. Each string is in it once,
/// so that it has no more strings than all tables together.
static FailureOr<Tensors> joinTables(Builder &b, ArrayRef<Tensor> inputs,
                                     std::shared_ptr<const Labels> &joined) {
  Labels table{Labels::Strings, {}, {}};
  llvm::StringMap<int64_t> places;
  Tensors parts;
  for (const Tensor &input : inputs) {
    if (input.labels()->size() > maxJoinedStrings)
      return b.limit(Twine(input.labels()->size()) + " strings in a table");
    SmallVector<int64_t> moved; // from an index into the table of the input
    for (const std::string &text : input.labels()->strings) {
      auto [it, isNew] = places.try_emplace(text, table.strings.size());
      if (isNew)
        table.strings.push_back(text);
      moved.push_back(it->second);
    }
    Tensor lookup = b.constant(
        DType::I64, fromInts(b.context(), DType::I64, {static_cast<int64_t>(moved.size())}, moved));
    FailureOr<Tensor> part = b.compute(DType::I64, input.shape(), [&](Body &body) {
      Scalar index = readScalar(body, input, body.dims(0, input.rank()));
      return body.read(lookup, body.opaque(toIndex(index)));
    });
    if (failed(part))
      return failure();
    parts.push_back(*part);
  }
  joined = std::make_shared<const Labels>(std::move(table));
  return parts;
}

static FailureOr<Tensors> buildConcat(Builder &b, const Node &node) {
  FailureOr<int64_t> axis = b.normalizeAxis(node.getInt("axis", 1), node.inputs[0].rank());
  if (failed(axis))
    return failure();
  if (!node.inputs[0].hasStrings())
    return single(b.concat(node.inputs, *axis));
  std::shared_ptr<const Labels> strings;
  FailureOr<Tensors> parts = joinTables(b, node.inputs, strings);
  if (failed(parts))
    return failure();
  FailureOr<Tensor> result = b.concat(*parts, *axis);
  if (failed(result))
    return failure();
  return Tensors{result->withStrings(strings)};
}

//===----------------------------------------------------------------------===//
// Split and Slice
//===----------------------------------------------------------------------===//

/// Returns the sizes of the parts of a dim of size `size`.
static FailureOr<SmallVector<Size>> getParts(Builder &b, const Node &node, const Size &size) {
  if (Tensor given = node.input(1))
    return b.requireSizes(given, "split");
  if (node.has("split")) {
    SmallVector<int64_t> split = node.getInts("split");
    return SmallVector<Size>(split.begin(), split.end());
  }
  int64_t count = node.getInt("num_outputs", node.outputs.size());
  if (count != static_cast<int64_t>(node.outputs.size()))
    return b.error("num_outputs is " + Twine(count) + ", the node has " +
                   Twine(node.outputs.size()) + " outputs");
  Size chunk = size.ceilDiv(count), begin = 0;
  SmallVector<Size> parts;
  for (int64_t i = 0; i < count; ++i) {
    parts.push_back(Size::max(Size::min(chunk, size - begin), 0));
    begin = begin + parts.back();
  }
  return parts;
}

static FailureOr<Tensors> buildSplit(Builder &b, const Node &node) {
  const Tensor &x = node.inputs[0];
  FailureOr<int64_t> axis = b.normalizeAxis(node.getInt("axis", 0), x.rank());
  if (failed(axis))
    return failure();
  FailureOr<SmallVector<Size>> parts = getParts(b, node, x.dim(*axis));
  if (failed(parts))
    return failure();
  if (parts->size() < node.outputs.size())
    return b.error("split has " + Twine(parts->size()) + " parts for " +
                   Twine(node.outputs.size()) + " outputs");
  return split(b, x, *axis, *parts);
}

/// Returns min(max(position, least), size + most). A huge constant position means the end, whatever
/// the size.
static Size clampPosition(const Size &position, const Size &size, int64_t least, int64_t most) {
  constexpr int64_t huge = std::numeric_limits<int32_t>::max();
  Size end = size + most;
  if (!size.constant() && position.constant() && *position.constant() >= huge)
    return end;
  if (position.constant() && *position.constant() < -huge)
    return least;
  return Size::min(Size::max(position, least), end);
}

namespace {
/// The slice along one axis.
struct AxisSlice {
  Size begin, count;
};
} // namespace

static AxisSlice resolveSlice(Builder &b, const Size &size, const Size &start, const Size &end,
                              const Size &step) {
  auto fromEnd = [&](const Size &position) {
    return b.select(b.isLess(position, 0), position + size, position);
  };
  Size first = fromEnd(start), last = fromEnd(end);
  auto count = [](const Size &distance, const Size &stride) {
    return Size::max(distance.ceilDiv(stride), 0);
  };
  Builder::Condition isBackward = b.isLess(step, 0);
  AxisSlice forward, backward;
  if (isBackward.known != true) {
    forward.begin = clampPosition(first, size, 0, 0);
    forward.count =
        count(clampPosition(last, size, 0, 0) - forward.begin, b.select(isBackward, 1, step));
  }
  if (isBackward.known != false) {
    backward.begin = clampPosition(first, size, 0, -1);
    backward.count =
        count(backward.begin - clampPosition(last, size, -1, -1), b.select(isBackward, -step, 1));
  }
  return {b.select(isBackward, backward.begin, forward.begin),
          b.select(isBackward, backward.count, forward.count)};
}

/// Returns the sizes that input `input` has or, before version 10, the attribute `name`. Returns
/// `otherwise` if both are absent.
static FailureOr<SmallVector<Size>> getBounds(Builder &b, const Node &node, unsigned input,
                                              StringRef name, ArrayRef<Size> otherwise) {
  if (node.has(name)) {
    SmallVector<int64_t> values = node.getInts(name);
    return SmallVector<Size>(values.begin(), values.end());
  }
  if (Tensor given = node.input(input))
    return b.requireSizes(given, name);
  return SmallVector<Size>(otherwise);
}

static FailureOr<Tensors> buildSlice(Builder &b, const Node &node) {
  const Tensor &x = node.inputs[0];
  FailureOr<SmallVector<Size>> starts = getBounds(b, node, 1, "starts", {});
  FailureOr<SmallVector<Size>> ends = getBounds(b, node, 2, "ends", {});
  if (failed(starts) || failed(ends))
    return failure();
  SmallVector<Size> allAxes, ones(starts->size(), 1);
  for (size_t i = 0; i < starts->size(); ++i)
    allAxes.push_back(i);
  FailureOr<SmallVector<Size>> axes = getBounds(b, node, 3, "axes", allAxes);
  FailureOr<SmallVector<Size>> steps = getBounds(b, node, 4, "steps", ones);
  if (failed(axes) || failed(steps))
    return failure();
  if (ends->size() != starts->size() || axes->size() != starts->size() ||
      steps->size() != starts->size())
    return b.error("expected as many ends, axes and steps as starts, got " + Twine(ends->size()) +
                   ", " + Twine(axes->size()) + ", " + Twine(steps->size()) + " and " +
                   Twine(starts->size()));
  for (const Size &step : *steps)
    if (step.isConstant(0))
      return b.error("a step is 0");
  SmallVector<Size> zeros(x.rank(), 0), onesOfRank(x.rank(), 1);
  FailureOr<SmallVector<Size>> start = spreadByAxes(b, *axes, *starts, zeros);
  FailureOr<SmallVector<Size>> end = spreadByAxes(b, *axes, *ends, x.shape());
  FailureOr<SmallVector<Size>> step = spreadByAxes(b, *axes, *steps, onesOfRank);
  if (failed(start) || failed(end) || failed(step))
    return failure();
  Tensor result = x;
  for (int64_t axis = 0; axis < x.rank(); ++axis) {
    AxisSlice taken = resolveSlice(b, x.dim(axis), (*start)[axis], (*end)[axis], (*step)[axis]);
    FailureOr<Tensor> sliced = b.slice(result, axis, taken.begin, taken.count, (*step)[axis]);
    if (failed(sliced))
      return failure();
    result = *sliced;
  }
  return Tensors{result};
}

//===----------------------------------------------------------------------===//
// Expand and Tile
//===----------------------------------------------------------------------===//

static FailureOr<Tensors> buildExpand(Builder &b, const Node &node) {
  FailureOr<SmallVector<Size>> shape = b.requireSizes(node.inputs[1], "the new shape");
  if (failed(shape))
    return failure();
  for (const Size &size : *shape)
    if (failed(b.requireNonNegative(size, "a size of the new shape")))
      return failure();
  return single(b.expand(node.inputs[0], *shape));
}

static FailureOr<Tensors> buildTile(Builder &b, const Node &node) {
  const Tensor &x = node.inputs[0];
  FailureOr<SmallVector<Size>> repeats = b.requireSizes(node.inputs[1], "repeats");
  if (failed(repeats))
    return failure();
  if (static_cast<int64_t>(repeats->size()) != x.rank())
    return b.error("repeats has " + Twine(repeats->size()) + " elements, expected " +
                   Twine(x.rank()));
  SmallVector<Size> shape;
  for (auto [size, repeat] : llvm::zip_equal(x.shape(), *repeats)) {
    if (failed(b.requireNonNegative(repeat, "a number of repeats")))
      return failure();
    shape.push_back(size * repeat);
  }
  return single(b.compute(x.dtype(), shape, [&](Body &body) {
    SmallVector<AffineExpr> at;
    for (auto [i, size] : llvm::enumerate(x.shape())) {
      AffineExpr dim = body.dim(i);
      if (size.isConstant(1))
        at.push_back(body.constantExpr(0));
      else
        at.push_back(shape[i] == size ? dim : dim % body.size(size));
    }
    return body.read(x, at);
  }));
}

/// Returns the length that all lists of a Slice have, if the length of at least one list is known.
static std::optional<int64_t> sliceLength(const NodeFacts &facts) {
  for (unsigned i = 1; i < facts.node.inputs.size(); ++i)
    if (Tensor list = facts.node.input(i))
      if (std::optional<int64_t> count = list.numElements().constant())
        return count;
  return std::nullopt;
}

static std::optional<int64_t> numParts(const NodeFacts &facts) { return facts.node.outputs.size(); }

OperatorRows getMovementRows() {
  return {
      {"Concat", buildConcat, readsStrings},
      {"Expand", buildExpand, List{1, resultRank}},
      {"Slice", buildSlice, List{1, sliceLength}, List{2, sliceLength}, List{3, sliceLength},
       List{4, sliceLength}},
      {"Split", buildSplit, List{1, numParts}},
      {"Tile", Versions{6}, buildTile, List{1, inputRank}},
      {"Transpose", buildTranspose, movesStrings},
  };
}

} // namespace tssa::operators
