//===- PieceBounds.cpp - constant bounds of the points of a piece ---------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Analysis/PieceBounds.h"
#include "dialects/te/IR/Sizes.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

/// Returns the bound that `expr >= 0` puts on one dim, as (dim, isLower, value). A lower bound is
/// the first index, an upper bound the index after the last one.
static std::optional<std::tuple<unsigned, bool, int64_t>> matchBound(AffineExpr expr,
                                                                     unsigned numSymbols) {
  for (int64_t sign : {1, -1}) {
    unsigned dimsFound = 0, dim = 0;
    expr.walk([&](AffineExpr e) {
      if (auto d = dyn_cast<AffineDimExpr>(e)) {
        ++dimsFound;
        dim = d.getPosition();
      }
    });
    if (dimsFound != 1)
      return std::nullopt;
    AffineExpr rest = expr - getAffineDimExpr(dim, expr.getContext()) * sign;
    rest = simplifyAffineExpr(rest, dim + 1, numSymbols);
    if (auto value = dyn_cast<AffineConstantExpr>(rest))
      return std::make_tuple(dim, sign == 1, sign == 1 ? -value.getValue() : value.getValue() + 1);
  }
  return std::nullopt;
}

PieceBounds te::getPieceBounds(IntegerSet set, unsigned numDims) {
  PieceBounds bounds;
  bounds.lower.assign(numDims, 0);
  bounds.upper.resize(numDims);
  for (unsigned i = 0; set && i < set.getNumConstraints(); ++i) {
    auto bound = matchBound(set.getConstraint(i), set.getNumSymbols());
    if (!bound) {
      bounds.rest.push_back(set.getConstraint(i));
      bounds.restEqualities.push_back(set.isEq(i));
      continue;
    }
    auto [dim, isLower, value] = *bound;
    if (isLower || set.isEq(i)) {
      int64_t first = value - (isLower ? 0 : 1);
      bounds.lower[dim] = std::max(bounds.lower[dim], first);
    }
    if (!isLower || set.isEq(i)) {
      int64_t end = isLower ? value + 1 : value;
      bounds.upper[dim] = std::min(bounds.upper[dim].value_or(end), end);
    }
  }
  return bounds;
}

OpFoldResult PieceBounds::getExtent(unsigned dim, OpFoldResult size) const {
  std::optional<int64_t> end = upper[dim], known = getConstantSize(size);
  if (known)
    end = std::min(end.value_or(*known), *known);
  if (!end || (lower[dim] == 0 && !upper[dim]))
    return size;
  MLIRContext *context =
      isa<Attribute>(size) ? cast<Attribute>(size).getContext() : cast<Value>(size).getContext();
  return IntegerAttr::get(IndexType::get(context), std::max<int64_t>(0, *end - lower[dim]));
}
