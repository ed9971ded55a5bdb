//===- BuilderShape.cpp - operators that move elements -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tssa/Builder/Builder.h"
#include "tssa/Builder/Scalar.h"

using namespace mlir;

namespace tssa::operators {

//===----------------------------------------------------------------------===//
// Contents
//===----------------------------------------------------------------------===//

/// If a tensor of this shape may have contents, returns its number of elements; otherwise nothing.
static std::optional<int64_t> countContents(ArrayRef<Size> shape) {
  // A negative size is an error, which is reported when the result is built. The number of elements
  // can be known although a size is unknown, because another size may be 0.
  if (llvm::any_of(shape, [](const Size &size) { return !size.constant() || size.isAtMost(-1); }))
    return std::nullopt;
  std::optional<int64_t> count = product(shape).constant();
  return count && *count <= Builder::maxContents ? count : std::nullopt;
}

/// Returns a tensor with contents, whose element at each point is the element of `source` at
/// `at(point)`. Returns nothing if it cannot have contents.
static std::optional<Tensor>
moveContents(Builder &builder, const Tensor &source, ArrayRef<Size> shape,
             function_ref<SmallVector<int64_t>(ArrayRef<int64_t>)> at) {
  std::optional<int64_t> count = countContents(shape);
  if (!count || !source.hasContents())
    return std::nullopt;
  SmallVector<int64_t> point(shape.size(), 0);
  SmallVector<Size> elements;
  for (int64_t i = 0; i < *count; ++i) {
    int64_t rest = i, position = 0;
    for (size_t dim = shape.size(); dim-- > 0;) {
      point[dim] = rest % *shape[dim].constant();
      rest /= *shape[dim].constant();
    }
    for (auto [index, size] : llvm::zip_equal(at(point), source.shape()))
      position = position * *size.constant() + index;
    elements.push_back(source.contents()[position]);
  }
  return builder.fromSizes(source.dtype(), shape, elements);
}

/// Returns the index into `tensor` for `point`, a point of the shape to which `tensor` is
/// broadcast.
static SmallVector<int64_t> broadcastPoint(const Tensor &tensor, ArrayRef<int64_t> point) {
  SmallVector<int64_t> result;
  for (auto [size, index] : llvm::zip_equal(tensor.shape(), point.take_back(tensor.rank())))
    result.push_back(size.isConstant(1) ? 0 : index);
  return result;
}

/// Returns whether `type` can represent a known element.
static bool fits(const Size &element, DType type) {
  std::optional<int64_t> value = element.constant();
  if (!value)
    return !element.overflowed() && (type == DType::I64 || type == DType::I32);
  unsigned bits = getBits(type);
  if (isUnsigned(type))
    return *value >= 0 && (bits == 64 || *value < (int64_t(1) << bits));
  return bits == 64 ||
         (*value >= -(int64_t(1) << (bits - 1)) && *value < (int64_t(1) << (bits - 1)));
}

static std::optional<Tensor> mapContents(Builder &builder, DType type, ArrayRef<Tensor> operands,
                                         ArrayRef<Size> shape, SizeFn known) {
  if (!known || isFloat(type) || !countContents(shape))
    return std::nullopt;
  SmallVector<Tensor> expanded;
  for (const Tensor &operand : operands) {
    std::optional<Tensor> moved = moveContents(
        builder, operand, shape, [&](ArrayRef<int64_t> p) { return broadcastPoint(operand, p); });
    if (!moved)
      return std::nullopt;
    expanded.push_back(*moved);
  }
  SmallVector<Size> elements;
  for (int64_t i = 0, count = *countContents(shape); i < count; ++i) {
    SmallVector<Size> values =
        llvm::map_to_vector(expanded, [&](const Tensor &tensor) { return tensor.contents()[i]; });
    std::optional<Size> element = known(values);
    if (!element || !fits(*element, type))
      return std::nullopt;
    elements.push_back(*element);
  }
  return builder.fromSizes(type, shape, elements);
}

//===----------------------------------------------------------------------===//
// Broadcasting
//===----------------------------------------------------------------------===//

/// Returns whether `size` is min(`other`, k) with k > 1. Then either both sizes or neither size is
/// 1, so they broadcast only if they are equal.
static bool isCutFrom(const Size &size, const Size &other) {
  if (size.terms().size() != 1 || size.terms().front().first.size() != 1 ||
      size.terms().front().second != 1)
    return false;
  const Atom &atom = *size.terms().front().first.front();
  if (atom.kind != Atom::Min)
    return false;
  return (*atom.lhs == other && atom.rhs->isAtLeast(2)) ||
         (*atom.rhs == other && atom.lhs->isAtLeast(2));
}

bool Builder::broadcastsAsEqual(const Size &size, const Size &common) {
  return size == common || size.differs(1) || isCutFrom(size, common);
}

/// Returns the size to which two sizes broadcast. If one of them is a constant other than 1, this
/// is the result; else, if one of them is known not to be 1, that size; else a size that is
/// selected at run time.
Size Builder::broadcastPair(const Size &lhs, const Size &rhs) {
  if (lhs.isConstant(1) || lhs == rhs)
    return rhs;
  if (rhs.isConstant(1) || lhs.constant())
    return lhs;
  if (rhs.constant())
    return rhs;
  if (lhs.differs(1) || isCutFrom(rhs, lhs))
    return lhs;
  if (rhs.differs(1) || isCutFrom(lhs, rhs))
    return rhs;
  return select(isEqual(lhs, 1), rhs, lhs);
}

FailureOr<SmallVector<Size>> Builder::broadcast(ArrayRef<ArrayRef<Size>> shapes) {
  size_t rank = 0;
  for (ArrayRef<Size> shape : shapes)
    rank = std::max(rank, shape.size());
  SmallVector<Size> result;
  for (size_t i = 0; i < rank; ++i) {
    SmallVector<Size> aligned;
    for (ArrayRef<Size> shape : shapes)
      if (i + shape.size() >= rank)
        aligned.push_back(shape[i + shape.size() - rank]);
    Size common = 1;
    for (const Size &size : aligned)
      common = broadcastPair(common, size);
    for (const Size &size : aligned) {
      if (size == common || size.isConstant(1))
        continue;
      if (size.differs(common) && size.differs(1))
        return error("shapes do not broadcast: sizes " + common.str() + " and " + size.str() +
                     " at dim " + Twine(i));
      Value value = materializeValue(size);
      auto isSize = [&](const Size &other) -> Value {
        return arith::CmpIOp::create(ops, location, arith::CmpIPredicate::eq, value,
                                     materializeValue(other));
      };
      check(arith::OrIOp::create(ops, location, isSize(common), isSize(1)),
            "expected sizes that broadcast at dim " + Twine(i) + " (" + size.str() + " and " +
                common.str() + ")");
    }
    result.push_back(common);
  }
  return result;
}

FailureOr<SmallVector<Size>> Builder::broadcast(ArrayRef<Tensor> tensors) {
  SmallVector<ArrayRef<Size>> shapes;
  for (const Tensor &tensor : tensors)
    shapes.push_back(tensor.shape());
  return broadcast(shapes);
}

FailureOr<Tensor> Builder::elementwise(DType type, ArrayRef<Tensor> operands, MapFn element,
                                       SizeFn known) {
  FailureOr<SmallVector<Size>> shape = broadcast(operands);
  if (failed(shape))
    return failure();
  if (std::optional<Tensor> result = mapContents(*this, type, operands, *shape, known))
    return *result;
  return compute(type, *shape, [&](Body &body) {
    SmallVector<AffineExpr> point = body.dims(0, shape->size());
    SmallVector<Value> values;
    for (const Tensor &operand : operands)
      values.push_back(body.readBroadcast(operand, *shape, point));
    return element(body, values);
  });
}

FailureOr<Tensor> Builder::cast(const Tensor &tensor, DType type) {
  if (tensor.dtype() == type)
    return tensor;
  auto known = [&](ArrayRef<Size> x) -> std::optional<Size> {
    if (type != DType::Bool)
      return x[0];
    if (x[0].differs(0))
      return Size(1);
    return x[0].isConstant(0) ? std::optional(Size(0)) : std::nullopt;
  };
  return elementwise(
      type, tensor, [&](Body &body, ValueRange x) { return body.cast(x[0], tensor.dtype(), type); },
      known);
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

FailureOr<Tensor> Builder::transpose(const Tensor &tensor, ArrayRef<int64_t> permutation) {
  SmallVector<Size> shape;
  SmallVector<int64_t> inverse(permutation.size());
  for (auto [i, from] : llvm::enumerate(permutation)) {
    shape.push_back(tensor.dim(from));
    inverse[from] = i;
  }
  if (llvm::equal(permutation, llvm::seq<int64_t>(0, permutation.size())))
    return tensor;
  auto move = [&](ArrayRef<int64_t> point) {
    return llvm::map_to_vector(inverse, [&](int64_t i) { return point[i]; });
  };
  if (std::optional<Tensor> result = moveContents(*this, tensor, shape, move))
    return *result;
  return compute(tensor.dtype(), shape, [&](Body &body) {
    return body.read(tensor, llvm::map_to_vector(inverse, [&](int64_t i) { return body.dim(i); }));
  });
}

FailureOr<Tensor> Builder::expand(const Tensor &tensor, ArrayRef<Size> shape) {
  FailureOr<SmallVector<Size>> common = broadcast({tensor.shape(), shape});
  if (failed(common))
    return failure();
  if (ArrayRef<Size>(*common) == tensor.shape())
    return tensor;
  auto move = [&](ArrayRef<int64_t> point) { return broadcastPoint(tensor, point); };
  if (std::optional<Tensor> result = moveContents(*this, tensor, *common, move))
    return *result;
  return compute(tensor.dtype(), *common, [&](Body &body) {
    return body.readBroadcast(tensor, *common, body.dims(0, common->size()));
  });
}

/// Returns whether a position is known to be outside a dim of size `extent`.
static bool isOutside(const Size &position, const Size &extent) {
  return position.overflowed() || position.isAtMost(-1) || (position - extent).isAtLeast(0);
}

FailureOr<Tensor> Builder::slice(const Tensor &tensor, int64_t axis, const Size &begin,
                                 const Size &count, const Size &step) {
  if (begin.isConstant(0) && count == tensor.dim(axis) && step.isConstant(1))
    return tensor;
  if (count.isAtLeast(1) && (isOutside(begin, tensor.dim(axis)) ||
                             isOutside(begin + (count - 1) * step, tensor.dim(axis))))
    return error("a slice of " + count.str() + " elements from " + begin.str() +
                 " on is not inside of dim " + Twine(axis) + " of " + tensor.str());
  SmallVector<Size> shape(tensor.shape());
  shape[axis] = count;
  auto move = [&](ArrayRef<int64_t> point) {
    SmallVector<int64_t> result(point);
    result[axis] = *begin.constant() + point[axis] * *step.constant();
    return result;
  };
  if (begin.constant() && step.constant())
    if (std::optional<Tensor> result = moveContents(*this, tensor, shape, move))
      return *result;
  return compute(tensor.dtype(), shape, [&](Body &body) {
    SmallVector<AffineExpr> at = body.dims(0, shape.size());
    at[axis] = body.size(begin) + at[axis] * body.size(step);
    return body.read(tensor, at);
  });
}

FailureOr<Tensor> Builder::fill(DType type, ArrayRef<Size> shape, double value) {
  if (!isFloat(type) && countContents(shape)) {
    SmallVector<Size> elements(*countContents(shape), static_cast<int64_t>(value));
    return fromSizes(type, shape, elements);
  }
  return compute(type, shape, [&](Body &body) { return body.constant(type, value); });
}

//===----------------------------------------------------------------------===//
// Concatenation
//===----------------------------------------------------------------------===//

FailureOr<Tensor> Builder::concatPieces(ArrayRef<Tensor> tensors, int64_t axis,
                                        ArrayRef<Size> begins, ArrayRef<Size> shape) {
  te::PieceSets where;
  std::vector<std::function<Value(Body &)>> functions;
  Body outside(*this, ops, location);
  AffineExpr position = outside.dim(axis);
  for (auto [i, tensor] : llvm::enumerate(tensors)) {
    SmallVector<AffineExpr> constraints;
    if (i > 0)
      constraints.push_back(position - outside.size(begins[i]));
    if (i + 1 < tensors.size())
      constraints.push_back(outside.size(begins[i + 1]) - 1 - position);
    SmallVector<Value> symbols;
    IntegerSet set = outside.makeSet(constraints, symbols);
    where.add(IntegerSet::get(shape.size(), symbols.size(), set.getConstraints(), set.getEqFlags()),
              symbols);
    functions.push_back([&, i = i](Body &body) {
      SmallVector<AffineExpr> at = body.dims(0, shape.size());
      at[axis] = at[axis] - body.size(begins[i]);
      return body.read(tensors[i], at);
    });
  }
  SmallVector<ScalarFn> elements(functions.begin(), functions.end());
  return pieces(tensors.front().dtype(), shape, where, elements);
}

/// Concatenates short lists as contents if their elements are known. If one list contains dynamic
/// sizes, the result is probably a shape; in this case elements that are not known are read at run
/// time.
static std::optional<Tensor> concatContents(Builder &builder, ArrayRef<Tensor> tensors,
                                            ArrayRef<Size> shape) {
  constexpr int64_t maxRead = 16;
  if (shape.size() != 1 || !countContents(shape))
    return std::nullopt;
  bool areAllKnown = llvm::all_of(tensors, [](const Tensor &t) { return t.hasContents(); });
  bool isShape = *countContents(shape) <= maxRead && llvm::any_of(tensors, [](const Tensor &t) {
    return t.hasContents() && !t.constant();
  });
  if (isFloat(tensors.front().dtype()) || (!areAllKnown && !isShape))
    return std::nullopt;
  SmallVector<Size> elements;
  for (const Tensor &tensor : tensors) {
    FailureOr<SmallVector<Size>> part = builder.requireSizes(tensor, "a part of a shape");
    if (failed(part))
      return std::nullopt;
    llvm::append_range(elements, *part);
  }
  return builder.fromSizes(tensors.front().dtype(), shape, elements);
}

FailureOr<Tensor> Builder::concat(ArrayRef<Tensor> tensors, int64_t axis) {
  SmallVector<Size> shape(tensors.front().shape()), begins;
  shape[axis] = 0;
  SmallVector<Tensor> parts;
  for (const Tensor &tensor : tensors) {
    if (tensor.dtype() != tensors.front().dtype())
      return error("expected inputs of one type, got " + tensors.front().str() + " and " +
                   tensor.str());
    if (tensor.rank() != tensors.front().rank())
      return error("expected inputs of equal rank, got " + Twine(tensors.front().rank()) + " and " +
                   Twine(tensor.rank()));
    for (int64_t i = 0; i < tensor.rank(); ++i)
      if (i != axis && failed(requireEqual(shape[i], tensor.dim(i), "dim " + Twine(i))))
        return failure();
    if (tensor.dim(axis).isConstant(0))
      continue;
    begins.push_back(shape[axis]);
    parts.push_back(tensor);
    shape[axis] = shape[axis] + tensor.dim(axis);
  }
  if (parts.size() <= 1)
    return parts.empty() ? tensors.front() : parts.front();
  if (std::optional<Tensor> result = concatContents(*this, parts, shape))
    return *result;
  return concatPieces(parts, axis, begins, shape);
}

} // namespace tssa::operators
