//===- ReshapeMap.cpp - the index expressions of a reshape -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/tssa/IR/ReshapeMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace mlir;
using namespace mlir::tssa::refs;

namespace {
/// A product of sizes, as a constant factor and a list of symbols.
struct Product {
  int64_t constant = 1;
  SmallVector<AffineExpr> symbols;

  void multiply(AffineExpr size) {
    if (auto known = dyn_cast<AffineConstantExpr>(size))
      constant *= known.getValue();
    else
      symbols.push_back(size);
  }
  bool has(ArrayRef<AffineExpr> others) const {
    SmallVector<AffineExpr> rest(symbols);
    for (AffineExpr other : others) {
      auto it = llvm::find(rest, other);
      if (it == rest.end())
        return false;
      rest.erase(it);
    }
    return true;
  }
  bool operator==(const Product &other) const {
    return constant == other.constant && symbols.size() == other.symbols.size() &&
           has(other.symbols);
  }
  /// Returns whether `other` is known to be a multiple of this product.
  bool divides(const Product &other) const {
    return constant != 0 && other.constant % constant == 0 && other.has(symbols);
  }
};

/// The group of dims that is being matched, on one side of the reshape (before or after it).
struct Cursor {
  ArrayRef<AffineExpr> sizes;
  /// Positions of the dims that are not in a group yet.
  ArrayRef<unsigned> rest;
  SmallVector<unsigned> group = {};
  Product product = {};

  void start() { group.clear(), product = Product(); }
  void grow() {
    group.push_back(rest.front());
    product.multiply(sizes[rest.front()]);
    rest = rest.drop_front();
  }
};
} // namespace

/// Returns the positions of the sizes that are not the constant 1.
static SmallVector<unsigned> findLarger(ArrayRef<AffineExpr> sizes) {
  SmallVector<unsigned> dims;
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    auto constant = dyn_cast<AffineConstantExpr>(size);
    if (!constant || constant.getValue() != 1)
      dims.push_back(dim);
  }
  return dims;
}

/// Returns whether the next dim should be added to the left group rather than to the right one.
static bool growsLeft(const Cursor &left, const Cursor &right) {
  if (left.rest.empty() || right.rest.empty())
    return !left.rest.empty();
  if (left.group.empty() || right.group.empty())
    return left.group.empty();
  if (left.product.symbols.empty() && right.product.symbols.empty())
    return left.product.constant < right.product.constant;
  return !right.product.divides(left.product);
}

/// Stores the index expressions of one group of dims in `result`.
static void mapGroup(const Cursor &from, const Cursor &to, ArrayRef<AffineExpr> point,
                     MLIRContext *context, SmallVectorImpl<AffineExpr> &result) {
  AffineExpr linear = getAffineConstantExpr(0, context);
  for (unsigned dim : from.group)
    linear = linear * from.sizes[dim] + point[dim];
  for (unsigned dim : llvm::reverse(ArrayRef(to.group).drop_front(to.group.empty() ? 0 : 1))) {
    result[dim] = linear % to.sizes[dim];
    linear = linear.floorDiv(to.sizes[dim]);
  }
  if (!to.group.empty())
    result[to.group.front()] = linear;
}

SmallVector<AffineExpr> mlir::tssa::refs::mapReshape(ArrayRef<AffineExpr> point,
                                                     ArrayRef<AffineExpr> from,
                                                     ArrayRef<AffineExpr> to,
                                                     MLIRContext *context) {
  SmallVector<unsigned> fromDims = findLarger(from), toDims = findLarger(to);
  SmallVector<AffineExpr> result(to.size(), getAffineConstantExpr(0, context));
  ArrayRef<unsigned> fromRest = fromDims, toRest = toDims;
  // Equal trailing dims are matched first, one to one, and need no product.
  while (!fromRest.empty() && !toRest.empty() && from[fromRest.back()] == to[toRest.back()]) {
    result[toRest.back()] = point[fromRest.back()];
    fromRest = fromRest.drop_back();
    toRest = toRest.drop_back();
  }
  Cursor left{from, fromRest}, right{to, toRest};
  while (!left.rest.empty() || !right.rest.empty()) {
    left.start();
    right.start();
    do {
      if (growsLeft(left, right))
        left.grow();
      else
        right.grow();
    } while ((left.group.empty() || right.group.empty() || !(left.product == right.product)) &&
             (!left.rest.empty() || !right.rest.empty()));
    mapGroup(left, right, point, context, result);
  }
  return result;
}
