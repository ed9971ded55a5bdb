//===- Views.cpp - views of refs with their strides -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Import/PyTorch/Views.h"

using namespace llvm;
using mlir::failure;
using mlir::FailureOr;

namespace refs = mlir::tssa::refs;

namespace tssa::pytorch {

/// Builds a view of `tensor` by one view operation. The view has the given sizes and strides.
static TensorRef makeView(Importer &importer, const TensorRef &tensor, refs::BoundStep step,
                          Sizes shape, std::optional<Sizes> strides) {
  operators::Builder &b = importer.b;
  TensorRef view = tensor;
  view.ref = refs::ViewOp::create(b.ops, b.loc(), tensor.ref, refs::Path{std::move(step)});
  view.shape = std::move(shape);
  view.strides = std::move(strides);
  return view;
}

/// Returns a copy of the strides with one change; nothing if the strides are not known.
static std::optional<Sizes> changeStrides(const TensorRef &tensor,
                                          function_ref<void(Sizes &)> change) {
  if (!tensor.strides)
    return std::nullopt;
  Sizes strides = *tensor.strides;
  change(strides);
  return strides;
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

FailureOr<TensorRef> select(Importer &importer, const TensorRef &tensor, int64_t dim,
                            const Size &index) {
  operators::Builder &b = importer.b;
  const Size &extent = tensor.shape[dim];
  Size position = index;
  std::optional<bool> isFromFront = importer.guards.isAtMost(0, index);
  if (isFromFront == false)
    position = index + extent;
  else if (!isFromFront)
    position = b.select(b.isLess(index, 0), index + extent, index);
  auto text = "index " + index.str() + " is out of range for a dim of size " + extent.str();
  // In code that the example does not execute, the index may be out of range for the sizes of the
  // example. Then there is no guard, and a run checks the index.
  if (!importer.guards.holdsAtMost(position + 1, extent) &&
      failed(b.require(b.isLess(position, extent), text)))
    return failure();
  if (!importer.guards.holdsAtMost(0, position) && failed(b.require(b.isLess(-1, position), text)))
    return failure();
  Sizes shape = tensor.shape;
  shape.erase(shape.begin() + dim);
  return makeView(importer, tensor, refs::makeSelect(b.context(), dim, b.materialize(position)),
                  shape, changeStrides(tensor, [&](Sizes &s) { s.erase(s.begin() + dim); }));
}

/// Normalises a bound of a slice as Python does: a negative bound counts from the end, and the
/// result is clamped.
static Size clampBound(Importer &importer, const Size &bound, const Size &extent) {
  operators::Builder &b = importer.b;
  if (bound == extent || bound.isConstant(0))
    return bound;
  Size position = bound;
  std::optional<bool> isFromFront = importer.guards.isAtMost(0, bound);
  if (isFromFront == false)
    position = bound + extent;
  else if (!isFromFront)
    position = b.select(b.isLess(bound, 0), bound + extent, bound);
  std::optional<bool> isNonNegative = importer.guards.isAtMost(0, position);
  if (isNonNegative == false)
    return 0;
  std::optional<bool> isInside = importer.guards.isAtMost(position, extent);
  if (isInside == false)
    return extent;
  if (!isNonNegative)
    position = Size::max(position, 0);
  return isInside ? position : Size::min(position, extent);
}

TensorRef slice(Importer &importer, const TensorRef &tensor, int64_t dim, const Size &begin,
                const Size &end, int64_t step) {
  operators::Builder &b = importer.b;
  const Size &extent = tensor.shape[dim];
  Size first = clampBound(importer, begin, extent), last = clampBound(importer, end, extent);
  if (first.isConstant(0) && last == extent && step == 1)
    return tensor;
  Size count = last - first;
  std::optional<bool> isOrdered = importer.guards.isAtMost(first, last);
  if (isOrdered == false) {
    count = 0;
    first = 0;
  } else if (!isOrdered) {
    count = Size::max(count, 0);
  }
  count = count.ceilDiv(step);
  Sizes shape = tensor.shape;
  shape[dim] = count;
  return makeView(
      importer, tensor,
      refs::makeSlice(b.context(), dim, b.materialize(first), b.materialize(count), step), shape,
      changeStrides(tensor, [&](Sizes &s) { s[dim] = s[dim] * step; }));
}

//===----------------------------------------------------------------------===//
// Dims
//===----------------------------------------------------------------------===//

TensorRef permute(Importer &importer, const TensorRef &tensor, ArrayRef<int64_t> permutation) {
  if (llvm::is_sorted(permutation))
    return tensor;
  Sizes shape;
  SmallVector<int64_t> moved;
  for (int64_t dim : permutation) {
    shape.push_back(tensor.shape[dim]);
    if (!shape.back().isConstant(1))
      moved.push_back(dim);
  }
  TensorRef view = makeView(importer, tensor, refs::makePermute(importer.b.context(), permutation),
                            shape, changeStrides(tensor, [&](Sizes &strides) {
                              for (auto [i, dim] : llvm::enumerate(permutation))
                                strides[i] = (*tensor.strides)[dim];
                            }));
  view.isRowMajor &= llvm::is_sorted(moved);
  return view;
}

TensorRef unsqueeze(Importer &importer, const TensorRef &tensor, int64_t dim) {
  Sizes shape = tensor.shape;
  shape.insert(shape.begin() + dim, Size(1));
  return makeView(importer, tensor, refs::makeUnsqueeze(importer.b.context(), dim), shape,
                  changeStrides(tensor, [&](Sizes &s) {
                    bool isLast = dim == tensor.rank();
                    s.insert(s.begin() + dim, isLast ? Size(1) : s[dim] * tensor.shape[dim]);
                  }));
}

TensorRef squeeze(Importer &importer, const TensorRef &tensor, int64_t dim) {
  Sizes shape = tensor.shape;
  shape.erase(shape.begin() + dim);
  return makeView(importer, tensor, refs::makeSqueeze(importer.b.context(), dim), shape,
                  changeStrides(tensor, [&](Sizes &s) { s.erase(s.begin() + dim); }));
}

FailureOr<TensorRef> expand(Importer &importer, const TensorRef &tensor, ArrayRef<Size> shape) {
  operators::Builder &b = importer.b;
  int64_t added = static_cast<int64_t>(shape.size()) - tensor.rank();
  if (added < 0)
    return b.error("expand: expected at least " + Twine(tensor.rank()) + " sizes, got " +
                   Twine(shape.size()));
  TensorRef view = tensor;
  for (int64_t dim = 0; dim < static_cast<int64_t>(shape.size()); ++dim) {
    const Size &wanted = shape[dim];
    if (dim < added)
      view = unsqueeze(importer, view, dim);
    const Size &own = view.shape[dim];
    if (wanted.isConstant(-1) || wanted == own)
      continue;
    if (!own.isConstant(1)) {
      std::optional<bool> equal = importer.guards.isEqual(own, wanted);
      if (!equal && failed(importer.requireEqual(own, wanted, "sizes of an expanded dim")))
        return failure();
      if (equal != false)
        continue;
      if (importer.guards.isEqual(own, 1) != true)
        return b.error("expand: a dim of size " + own.str() + " does not become " + wanted.str());
    }
    Sizes sizes = view.shape;
    sizes[dim] = wanted;
    view = makeView(importer, view, refs::makeExpand(b.context(), dim, b.materialize(wanted)),
                    sizes, changeStrides(view, [&](Sizes &s) { s[dim] = 0; }));
  }
  return view;
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// Returns whether a tensor is known to be contiguous for all sizes.
static bool isSurelyContiguous(Importer &importer, const TensorRef &tensor) {
  if (!tensor.strides)
    return false;
  Sizes expected = getContiguousStrides(tensor.shape);
  for (auto [size, stride, wanted] : llvm::zip_equal(tensor.shape, *tensor.strides, expected))
    if (!size.isConstant(1) && importer.guards.isKnownEqual(stride, wanted) != true)
      return false;
  return true;
}

std::optional<Sizes> getChannelsLastStrides(ArrayRef<Size> shape) {
  if (shape.size() != 4 && shape.size() != 5)
    return std::nullopt;
  Sizes strides(shape.size(), Size(1));
  Size inner = shape[1];
  for (size_t dim = shape.size(); dim-- > 2;) {
    strides[dim] = inner;
    inner = inner * shape[dim];
  }
  strides[0] = inner;
  return strides;
}

/// Returns whether, for all sizes, each element of the storage is known to belong to the tensor.
static bool isDense(Importer &importer, const TensorRef &tensor) {
  if (!tensor.strides)
    return false;
  SmallVector<int64_t> left;
  for (int64_t dim = 0; dim < tensor.rank(); ++dim)
    if (!tensor.shape[dim].isConstant(1))
      left.push_back(dim);
  Size step = 1;
  while (!left.empty()) {
    auto *next = llvm::find_if(left, [&](int64_t dim) {
      return importer.guards.isKnownEqual((*tensor.strides)[dim], step) == true;
    });
    if (next == left.end())
      return false;
    step = step * tensor.shape[*next];
    left.erase(next);
  }
  return true;
}

void keepStrides(Importer &importer, ArrayRef<Value> operands, TensorRef &result) {
  const TensorRef *common = nullptr;
  for (const Value &value : operands) {
    if (!value.is(Value::Tensor) || value.getTensor().rank() == 0)
      continue;
    const TensorRef &operand = value.getTensor();
    if (operand.shape != result.shape || (common && operand.strides != common->strides))
      return;
    common = &operand;
  }
  if (common && isDense(importer, *common))
    result.strides = common->strides;
}

namespace {
/// Finds the strides of a view of another shape by PyTorch's rule. Adjacent dims without a gap
/// between them form a chunk, and a view may change sizes only within a chunk.
class StrideFinder {
public:
  StrideFinder(Guards &guards, const TensorRef &tensor, ArrayRef<Size> shape)
      : guards(guards), tensor(tensor), shape(shape), strides(shape.size(), Size(1)),
        next(static_cast<int64_t>(shape.size()) - 1) {}

  /// Returns the strides; nothing if it is not known that there are such strides.
  std::optional<Sizes> run();

private:
  std::optional<bool> endsChunk(int64_t dim, const Size &count, const Size &base);
  bool fillChunk(const Size &count, const Size &base);

  Guards &guards;
  const TensorRef &tensor;
  ArrayRef<Size> shape;
  Sizes strides;
  int64_t next;
};
} // namespace

/// Dim `dim` and some dims after it belong to one chunk and have `count` elements. Returns whether
/// dim - 1 belongs to another chunk; nothing if that is known only at run time.
std::optional<bool> StrideFinder::endsChunk(int64_t dim, const Size &count, const Size &base) {
  if (dim == 0)
    return true;
  const Size &size = tensor.shape[dim - 1], &stride = (*tensor.strides)[dim - 1];
  if (size.isConstant(1) || guards.isKnownEqual(stride, count * base) == true)
    return false;
  std::optional<bool> isOne = guards.isEqual(size, 1);
  if (isOne == true)
    return false;
  std::optional<bool> equal = guards.isEqual(stride, count * base);
  return isOne && equal ? std::optional(!*equal) : std::nullopt;
}

/// Sets the strides of the next dims, which have the `count` elements of a chunk. Returns whether
/// there are known to be such dims.
bool StrideFinder::fillChunk(const Size &count, const Size &base) {
  Size filled = 1;
  while (next >= 0) {
    if (!shape[next].isConstant(1)) {
      std::optional<bool> isFull = guards.isAtMost(count, filled);
      if (!isFull)
        return false;
      if (*isFull && guards.isEqual(shape[next], 1) != true)
        break;
    }
    strides[next] = filled * base;
    filled = filled * shape[next--];
  }
  return guards.isEqual(filled, count) == true;
}

std::optional<Sizes> StrideFinder::run() {
  Size count = 1, base = tensor.rank() == 0 ? Size(1) : tensor.strides->back();
  for (int64_t dim = tensor.rank() - 1; dim >= 0; --dim) {
    count = count * tensor.shape[dim];
    std::optional<bool> ends = endsChunk(dim, count, base);
    if (!ends)
      return std::nullopt;
    if (!*ends)
      continue;
    if (!fillChunk(count, base))
      return std::nullopt;
    if (dim > 0) {
      base = (*tensor.strides)[dim - 1];
      count = 1;
    }
  }
  return next < 0 ? std::optional(strides) : std::nullopt;
}

/// Returns the sizes of `shape`, with -1 replaced by the size that it stands for.
static FailureOr<Sizes> inferSizes(Importer &importer, const TensorRef &tensor,
                                   ArrayRef<Size> shape) {
  operators::Builder &b = importer.b;
  Sizes result(shape);
  Size total = operators::product(tensor.shape), others = 1;
  Size *inferred = nullptr;
  for (Size &size : result) {
    if (!size.isConstant(-1))
      others = others * size;
    else if (std::exchange(inferred, &size))
      return b.error("only one size may be -1");
  }
  if (inferred) {
    std::optional<Size> exact = total.divideExactly(others);
    if (!exact && others.isConstant(0))
      return b.error("a size cannot be inferred from no elements");
    *inferred = exact ? *exact : total.floorDiv(others);
    others = others * *inferred;
  }
  if (failed(importer.requireEqual(others, total, "number of elements")))
    return failure();
  return result;
}

FailureOr<TensorRef> reshape(Importer &importer, const TensorRef &tensor, ArrayRef<Size> given) {
  operators::Builder &b = importer.b;
  FailureOr<Sizes> shape = inferSizes(importer, tensor, given);
  if (failed(shape))
    return failure();
  if (*shape == tensor.shape)
    return tensor;
  std::optional<Sizes> strides;
  if (isSurelyContiguous(importer, tensor))
    strides = getContiguousStrides(*shape);
  else if (tensor.strides)
    strides = StrideFinder(importer.guards, tensor, *shape).run();
  bool isKnown = strides.has_value();
  TensorRef view = makeView(importer, tensor, refs::makeReshape(b.context(), b.materialize(*shape)),
                            *shape, std::move(strides));
  view.isRowMajor &= isKnown;
  return view;
}

} // namespace tssa::pytorch
