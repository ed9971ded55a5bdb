//===- Reshape.cpp - the same elements in another shape -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A reshape is an index expression. Groups of old dims are matched with groups of new dims of
/// equal products, and only the dims of one group are linearised together. For example, a reshape
/// from [N, 12, 64] to [N, 768] has the groups N = N and 12 * 64 = 768, so no product with N
/// occurs.
///
//===----------------------------------------------------------------------===//

#include "mlir/IR/DialectResourceBlobManager.h"
#include "tssa/Builder/Builder.h"

using namespace mlir;

namespace tssa::operators {

namespace {
/// The old dims and the new dims of a group. The products of their sizes are equal.
struct Group {
  SmallVector<unsigned> from, to;
};

class Matcher {
public:
  Matcher(ArrayRef<Size> from, ArrayRef<Size> to) : from(from), to(to) {}
  SmallVector<Group> run();

private:
  void matchMiddle(ArrayRef<unsigned> left, ArrayRef<unsigned> right);

  ArrayRef<Size> from, to;
  SmallVector<Group> groups;
};
} // namespace

static SmallVector<unsigned> findLargerDims(ArrayRef<Size> shape) {
  SmallVector<unsigned> dims;
  for (auto [i, size] : llvm::enumerate(shape))
    if (!size.isConstant(1))
      dims.push_back(i);
  return dims;
}

/// Returns which side of a group needs another dim: -1 for the left, 1 for the right, 0 for both.
static int chooseSide(const Size &left, const Size &right) {
  if (left.constant() && right.constant())
    return *left.constant() < *right.constant() ? -1 : 1;
  if (right.divideExactly(left))
    return -1;
  return left.divideExactly(right) ? 1 : 0;
}

void Matcher::matchMiddle(ArrayRef<unsigned> left, ArrayRef<unsigned> right) {
  while (!left.empty() || !right.empty()) {
    Group group;
    Size leftProduct = 1, rightProduct = 1;
    auto extendLeft = [&] {
      leftProduct = leftProduct * from[left.front()];
      group.from.push_back(left.front());
      left = left.drop_front();
    };
    auto extendRight = [&] {
      rightProduct = rightProduct * to[right.front()];
      group.to.push_back(right.front());
      right = right.drop_front();
    };
    do {
      int side = group.from.empty() ? -1
                 : group.to.empty() ? 1
                                    : chooseSide(leftProduct, rightProduct);
      if (side <= 0 && !left.empty())
        extendLeft();
      else if (!right.empty())
        extendRight();
      else if (!left.empty())
        extendLeft();
    } while (leftProduct != rightProduct && (!left.empty() || !right.empty()));
    groups.push_back(std::move(group));
  }
}

SmallVector<Group> Matcher::run() {
  SmallVector<unsigned> leftDims = findLargerDims(from), rightDims = findLargerDims(to);
  ArrayRef<unsigned> left = leftDims, right = rightDims;
  auto matches = [&](unsigned l, unsigned r) { return from[l] == to[r]; };
  while (!left.empty() && !right.empty() && matches(left.front(), right.front())) {
    groups.push_back({{left.front()}, {right.front()}});
    left = left.drop_front();
    right = right.drop_front();
  }
  while (!left.empty() && !right.empty() && matches(left.back(), right.back())) {
    groups.push_back({{left.back()}, {right.back()}});
    left = left.drop_back();
    right = right.drop_back();
  }
  matchMiddle(left, right);
  return std::move(groups);
}

/// Returns the indexes in the old shape that correspond to a point of the new shape.
static SmallVector<AffineExpr> getReshapeIndexes(Body &body, ArrayRef<Size> from,
                                                 ArrayRef<Size> to) {
  SmallVector<AffineExpr> indexes(from.size(), body.constantExpr(0));
  for (const Group &group : Matcher(from, to).run()) {
    AffineExpr linear = body.constantExpr(0);
    for (unsigned dim : group.to)
      linear = linear * body.size(to[dim]) + body.dim(dim);
    ArrayRef<unsigned> inner = group.from;
    while (inner.size() > 1) {
      AffineExpr size = body.size(from[inner.back()]);
      indexes[inner.back()] = linear % size;
      linear = linear.floorDiv(size);
      inner = inner.drop_back();
    }
    if (!inner.empty())
      indexes[inner.front()] = linear;
  }
  return indexes;
}

/// Reshapes `tensor`, whose elements are known, to another static shape without building an op.
Tensor Builder::reshapeKnown(const Tensor &tensor, ArrayRef<Size> shape) {
  if (tensor.hasContents())
    return fromSizes(tensor.dtype(), shape, tensor.contents());
  Type elementType = tensor.constant().getElementType();
  auto type = RankedTensorType::get(*Tensor(tensor.dtype(), shape).staticShape(), elementType);
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(tensor.constant()))
    return constant(tensor.dtype(), DenseResourceElementsAttr::get(type, resource.getRawHandle()));
  return constant(tensor.dtype(), llvm::cast<DenseElementsAttr>(tensor.constant()).reshape(type));
}

FailureOr<Tensor> Builder::reshape(const Tensor &tensor, ArrayRef<Size> shape) {
  if (tensor.shape() == shape)
    return tensor;
  Size from = tensor.numElements(), to = product(shape);
  if (from.overflowed() || to.overflowed()) {
    auto asAtoms = [&](ArrayRef<Size> sizes) {
      return llvm::map_to_vector(sizes, [&](const Size &size) { return asAtom(size); });
    };
    from = product(asAtoms(tensor.shape()));
    to = product(asAtoms(shape));
  }
  if (failed(requireEqual(from, to, "number of elements")))
    return failure();
  bool isStatic = Tensor(tensor.dtype(), shape).staticShape().has_value();
  if (isStatic && (tensor.constant() || tensor.hasContents()))
    return reshapeKnown(tensor, shape);
  if (product(shape).isConstant(0))
    return fill(tensor.dtype(), shape, 0);
  return compute(tensor.dtype(), shape, [&](Body &body) {
    return body.read(tensor, getReshapeIndexes(body, tensor.shape(), shape));
  });
}

} // namespace tssa::operators
