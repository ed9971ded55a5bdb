//===- Shape.cpp - operators on shapes -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/Families.h"
#include "tssa/Builder/BodyScalar.h"

using namespace mlir;

namespace tssa::operators {

/// Returns the axes of an operator: an attribute before version 13, an input since then. Returns
/// nothing if no axes are given.
static FailureOr<std::optional<SmallVector<Size>>> getAxes(Builder &b, const Node &node) {
  std::optional<SmallVector<Size>> result;
  if (node.has("axes")) {
    SmallVector<int64_t> axes = node.getInts("axes");
    result.emplace(axes.begin(), axes.end());
  } else if (Tensor axes = node.input(1)) {
    FailureOr<SmallVector<Size>> sizes = b.requireSizes(axes, "axes");
    if (failed(sizes))
      return failure();
    result = *sizes;
  }
  return result;
}

/// Returns the sizes as numbers if all are known.
static std::optional<SmallVector<int64_t>> getConstants(ArrayRef<Size> sizes) {
  SmallVector<int64_t> result;
  for (const Size &size : sizes) {
    if (!size.constant())
      return std::nullopt;
    result.push_back(*size.constant());
  }
  return result;
}

/// Returns how many of `axes`, which may be negative, denote dim `position` of a shape of `rank`.
static Size countAxis(Builder &b, ArrayRef<Size> axes, int64_t position, int64_t rank) {
  Size count = 0;
  for (const Size &axis : axes) {
    Size normal = b.select(b.isLess(axis, 0), axis + rank, axis);
    count = count + b.select(b.isEqual(normal, position), 1, 0);
  }
  return count;
}

static FailureOr<Tensors> buildShape(Builder &b, const Node &node) {
  const Tensor &x = node.inputs[0];
  auto clamp = [&](int64_t bound) {
    return std::clamp<int64_t>(bound < 0 ? bound + x.rank() : bound, 0, x.rank());
  };
  int64_t start = clamp(node.getInt("start", 0));
  int64_t end = clamp(node.getInt("end", x.rank()));
  return Tensors{b.fromSizes(x.shape().slice(start, std::max<int64_t>(end - start, 0)))};
}

static FailureOr<Tensors> buildSize(Builder &b, const Node &node) {
  Size count = node.inputs[0].numElements();
  if (count.overflowed())
    return b.limit("the number of elements is too large");
  return Tensors{b.fromSizes(DType::I64, {}, count)};
}

/// Returns the sizes of the new shape, with the special values 0 and -1 replaced by sizes.
static FailureOr<SmallVector<Size>> resolveShape(Builder &b, const Tensor &x, ArrayRef<Size> asked,
                                                 bool allowZero) {
  SmallVector<Size> shape;
  Size known = 1, numUnknown = 0;
  for (auto [i, size] : llvm::enumerate(asked)) {
    Size resolved = size;
    bool mayCopy = !allowZero && static_cast<int64_t>(i) < x.rank();
    // A 0 in the data of the new shape means that the size of the input is copied. A dynamic size
    // of another tensor, which is known to be non-negative, is not such data: if it is 0 at run
    // time, it means 0.
    bool isData = size.constant() || !size.isAtLeast(0);
    if (mayCopy && isData)
      resolved = b.select(b.isEqual(size, 0), x.dim(i), size);
    else if (!allowZero && size.isConstant(0))
      return b.error("size 0 at position " + Twine(i) + " copies a dim that the input lacks");
    Builder::Condition isUnknown = b.isEqual(size, -1);
    if (failed(b.require(b.isLess(-2, size), "the new shape has a size below -1: " + size.str())))
      return failure();
    known = known * b.select(isUnknown, 1, resolved);
    numUnknown = numUnknown + b.select(isUnknown, 1, 0);
    shape.push_back(resolved);
  }
  if (failed(b.require(b.isLess(numUnknown, 2), "more than one size of the new shape is -1")))
    return failure();
  if (numUnknown.isConstant(0))
    return shape;
  Size total = x.numElements();
  if (known.isConstant(0))
    return b.error("cannot infer the size given as -1: another size is 0");
  Size inferred = total.floorDiv(known);
  for (auto [size, given] : llvm::zip_equal(shape, asked))
    size = b.select(b.isEqual(given, -1), inferred, size);
  return shape;
}

static FailureOr<Tensors> buildReshape(Builder &b, const Node &node) {
  FailureOr<SmallVector<Size>> asked = b.requireSizes(node.inputs[1], "the new shape");
  if (failed(asked))
    return failure();
  const Tensor &x = node.inputs[0];
  FailureOr<SmallVector<Size>> shape = resolveShape(b, x, *asked, node.getInt("allowzero", 0));
  if (failed(shape))
    return failure();
  return single(b.reshape(x, *shape));
}

static FailureOr<Tensors> buildFlatten(Builder &b, const Node &node) {
  const Tensor &x = node.inputs[0];
  int64_t axis = node.getInt("axis", 1);
  if (axis < -x.rank() || axis > x.rank())
    return b.error("axis " + Twine(axis) + " is out of range for a tensor of rank " +
                   Twine(x.rank()));
  axis += axis < 0 ? x.rank() : 0;
  return single(
      b.reshape(x, {product(x.shape().take_front(axis)), product(x.shape().drop_front(axis))}));
}

/// Returns the shape of `x` without the dims at `axes`. Only a run knows these axes.
static SmallVector<Size> squeezeShape(Builder &b, const Tensor &x, ArrayRef<Size> axes) {
  SmallVector<Size> shape;
  int64_t rank = x.rank(), newRank = rank - axes.size();
  for (int64_t position = 0; position < newRank; ++position) {
    Size chosen = 1, before = 0;
    for (int64_t dim = 0; dim < rank; ++dim) {
      Size isAxis = countAxis(b, axes, dim, rank);
      Size here = b.select(b.isEqual(Size(dim) - before, position), x.dim(dim), chosen);
      chosen = b.select(b.isEqual(isAxis, 0), here, chosen);
      before = before + isAxis;
    }
    shape.push_back(chosen);
  }
  return shape;
}

/// Returns the name of the dim that `size` is, or `NAME` if it is none.
static std::string getDimName(const Size &size) {
  std::string text = size.str();
  bool isName = llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  return isName ? text : "NAME";
}

static FailureOr<Tensors> buildSqueeze(Builder &b, const Node &node) {
  const Tensor &x = node.inputs[0];
  FailureOr<std::optional<SmallVector<Size>>> given = getAxes(b, node);
  if (failed(given))
    return failure();
  SmallVector<Size> shape;
  if (!*given) {
    for (const auto &[i, size] : llvm::enumerate(x.shape())) {
      if (size.isConstant(1))
        continue;
      shape.push_back(size);
      // The rank of the result is fixed, so a run in which another size is 1 fails.
      if (failed(b.require(b.isLess(0, (size - 1) * (size - 1)),
                           "size " + Twine(i) + " of " + x.str() +
                               " is 1, and without axes it would be removed: compile for size 1, "
                               "such as with --dim " +
                               getDimName(size) + "=1")))
        return failure();
    }
    return single(b.reshape(x, shape));
  }
  std::optional<SmallVector<int64_t>> constants = getConstants(**given);
  if (!constants) {
    if (static_cast<int64_t>((*given)->size()) > x.rank())
      return b.error("more axes than the rank of " + x.str());
    return single(b.reshape(x, squeezeShape(b, x, **given)));
  }
  FailureOr<SmallVector<int64_t>> axes = b.normalizeAxes(*constants, x.rank());
  if (failed(axes))
    return failure();
  for (auto [i, size] : llvm::enumerate(x.shape())) {
    if (!llvm::is_contained(*axes, static_cast<int64_t>(i)))
      shape.push_back(size);
    else if (failed(b.requireEqual(size, 1, "squeezed dim " + Twine(i))))
      return failure();
  }
  return single(b.reshape(x, shape));
}

static FailureOr<Tensors> buildUnsqueeze(Builder &b, const Node &node) {
  const Tensor &x = node.inputs[0];
  FailureOr<std::optional<SmallVector<Size>>> given = getAxes(b, node);
  if (failed(given))
    return failure();
  if (!*given)
    return b.error("axes are missing");
  int64_t rank = x.rank() + (*given)->size();
  if (std::optional<SmallVector<int64_t>> constants = getConstants(**given))
    if (failed(b.normalizeAxes(*constants, rank)))
      return failure();
  SmallVector<Size> shape;
  Size before = 0;
  for (int64_t i = 0; i < rank; ++i) {
    Size isAxis = countAxis(b, **given, i, rank), size = 1;
    for (int64_t dim = 0; dim < x.rank(); ++dim)
      size = b.select(b.isEqual(Size(i) - before, dim), x.dim(dim), size);
    shape.push_back(b.select(b.isEqual(isAxis, 0), size, 1));
    before = before + isAxis;
  }
  return single(b.reshape(x, shape));
}

static FailureOr<Tensors> buildIdentity(Builder &b, const Node &node) {
  return Tensors{node.inputs[0]};
}

/// Builds Dropout for inference, which drops nothing.
static FailureOr<Tensors> buildDropout(Builder &b, const Node &node) {
  if (Tensor training = node.input(2)) {
    std::optional<SmallVector<int64_t>> known = b.constantInts(training);
    if (!known || known->size() != 1 || known->front() != 0)
      return b.needsValue(training, "training_mode must be a constant that is false");
  }
  const Tensor &x = node.inputs[0];
  Tensors results = {x};
  if (node.hasOutput(1)) {
    FailureOr<Tensor> mask = b.fill(node.version >= 10 ? DType::Bool : x.dtype(), x.shape(), 1);
    if (failed(mask))
      return failure();
    results.push_back(*mask);
  }
  return results;
}

/// Builds a cast. Attributes specify how a number becomes a small float if it has no exact
/// representation.
static FailureOr<Tensors> castAsAsked(Builder &b, const Node &node, DType type) {
  const Tensor &x = node.inputs[0];
  if (!isSmallFloat(type) || x.dtype() == type)
    return single(b.cast(x, type));
  StringRef mode = node.getString("round_mode", "up");
  if (mode != "up" && mode != "down" && mode != "nearest")
    return b.error("expected up, down or nearest as 'round_mode', got '" + mode + "'");
  SmallFloatRounding rounding{node.getInt("saturate", 1) != 0, mode == "up" ? SmallFloatRounding::Up
                                                               : mode == "down"
                                                                   ? SmallFloatRounding::Down
                                                                   : SmallFloatRounding::Nearest};
  return single(b.elementwise(type, x, [&](Body &body, ValueRange values) {
    return encodeSmallFloat(toScalar(body, values[0], x.dtype()), type, rounding).getValue();
  }));
}

static FailureOr<Tensors> buildCast(Builder &b, const Node &node) {
  constexpr int64_t stringCode = 8;
  int64_t code = node.getInt("to", 0);
  if (node.inputs[0].hasStrings() && code == stringCode)
    return Tensors{node.inputs[0]};
  if (node.inputs[0].hasStrings())
    return b.unsupported("a cast of strings to numbers is not supported");
  if (code == stringCode)
    return b.unsupported("a cast of numbers to strings is not supported");
  std::optional<DType> type = fromONNX(code);
  if (!type)
    return b.unsupported("a cast to element type " + Twine(code) + " is not supported");
  return castAsAsked(b, node, *type);
}

static FailureOr<Tensors> buildCastLike(Builder &b, const Node &node) {
  return castAsAsked(b, node, node.inputs[1].dtype());
}

static std::optional<int64_t> numSqueezed(const NodeFacts &facts) {
  return facts.fromResult(-1, facts.rank());
}

static std::optional<int64_t> numAdded(const NodeFacts &facts) {
  return facts.fromResult(1, -facts.rank());
}

OperatorRows getShapeRows() {
  return {
      {"Cast", Versions{6}, buildCast, readsStrings},
      {"CastLike", buildCastLike},
      {"Dropout", Versions{7}, buildDropout},
      {"Flatten", buildFlatten, movesStrings},
      {"Identity", buildIdentity, movesStrings},
      {"Reshape", Versions{5}, buildReshape, List{1, resultRank}, movesStrings},
      {"Shape", buildShape},
      {"Size", buildSize},
      {"Squeeze", buildSqueeze, List{1, numSqueezed}, movesStrings},
      {"Unsqueeze", buildUnsqueeze, List{1, numAdded}, movesStrings},
  };
}

} // namespace tssa::operators
