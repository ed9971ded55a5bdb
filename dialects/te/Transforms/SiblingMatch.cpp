//===- SiblingMatch.cpp - how expressions with one body differ -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Transforms/SiblingMatch.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

Siblings::Siblings(ComputeOp first, SiblingMode mode) : mode(mode), members{first} {
  first->walk([&](Operation *op) {
    Variation variation{Variation::Shifted, op, {}, {}, {}};
    if (auto read = dyn_cast<ReadOp>(op)) {
      if (auto constant = read.getSource().getDefiningOp<ConstantOp>()) {
        variation.kind = Variation::Joined;
        variation.data.push_back(constant.getValue());
      }
      variations.push_back(variation);
    } else if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      variation.kind = Variation::Scalar;
      variation.data.push_back(constant.getValue());
      variations.push_back(variation);
    }
  });
}

namespace {
/// Compares an expression with the first of its siblings, op by op.
class SiblingMatcher {
public:
  SiblingMatcher(Siblings &siblings, ComputeOp next)
      : siblings(siblings), first(siblings.members.front()), next(next),
        number(siblings.members.size()), found(siblings.variations) {}

  bool match() {
    if (!haveEqualDomains() || first.getPieces().size() != 1 || next.getPieces().size() != 1 ||
        first.getInitAttr() != next.getInitAttr() ||
        first->getNumRegions() != next->getNumRegions())
      return false;
    for (auto [a, b] : llvm::zip_equal(first->getRegions(), next->getRegions()))
      if (!matchRegion(a, b))
        return false;
    siblings.variations = std::move(found);
    siblings.members.push_back(next);
    return true;
  }

private:
  bool haveEqualDomains() {
    if (first.getNumParallel() != next.getNumParallel() ||
        first.getDynamicSizes() != next.getDynamicSizes() ||
        first.getStaticSizes().size() != next.getStaticSizes().size() ||
        first.getNumResults() != 1 || next.getNumResults() != 1 || getElementType(first) != getElementType(next))
      return false;
    for (auto [dim, a] : llvm::enumerate(first.getStaticSizes()))
      if (a != next.getStaticSizes()[dim] &&
          (dim != siblings.mode.axis || ShapedType::isDynamic(a) ||
           ShapedType::isDynamic(next.getStaticSizes()[dim])))
        return false;
    return true;
  }

  static Type getElementType(ComputeOp op) {
    return cast<RankedTensorType>(op.getResultTypes().front()).getElementType();
  }

  bool matchRegion(Region &a, Region &b) {
    if (a.empty() || b.empty())
      return a.empty() == b.empty();
    Block &left = a.front(), &right = b.front();
    if (left.getArgumentTypes() != right.getArgumentTypes() ||
        left.getOperations().size() != right.getOperations().size())
      return false;
    for (auto [x, y] : llvm::zip_equal(left.getArguments(), right.getArguments()))
      same[x] = y;
    for (auto [x, y] : llvm::zip_equal(left, right))
      if (!matchOp(x, y))
        return false;
    return true;
  }

  bool areSame(Value a, Value b) {
    auto known = same.find(a);
    return known == same.end() ? a == b : known->second == b;
  }
  bool areSame(ValueRange a, ValueRange b) {
    return a.size() == b.size() &&
           llvm::all_of(llvm::zip_equal(a, b),
                        [&](auto pair) { return areSame(std::get<0>(pair), std::get<1>(pair)); });
  }

  bool matchOp(Operation &a, Operation &b) {
    if (a.getName() != b.getName() || a.getResultTypes() != b.getResultTypes() ||
        a.getNumRegions() != 0 || b.getNumRegions() != 0)
      return false;
    for (auto [x, y] : llvm::zip_equal(a.getResults(), b.getResults()))
      same[x] = y;
    if (auto read = dyn_cast<ReadOp>(a))
      return matchRead(read, cast<ReadOp>(b), found[nextVariation++]);
    if (auto constant = dyn_cast<arith::ConstantOp>(a)) {
      found[nextVariation++].data.push_back(cast<arith::ConstantOp>(b).getValue());
      return true;
    }
    if (!areSame(a.getOperands(), b.getOperands()) || a.getAttrDictionary() != b.getAttrDictionary())
      return false;
    return siblings.mode.isStacked() || !usesAxis(a);
  }

  /// Returns whether the index expression of te.index or te.inside depends on the axis.
  bool usesAxis(Operation &op) {
    unsigned axis = *siblings.mode.axis;
    if (auto index = dyn_cast<IndexOp>(op))
      return index.getMap().isFunctionOfDim(axis);
    auto inside = dyn_cast<InsideOp>(op);
    return inside && llvm::any_of(inside.getSet().getConstraints(), [&](AffineExpr expr) {
             return expr.isFunctionOfDim(axis);
           });
  }

  bool matchRead(ReadOp a, ReadOp b, Variation &variation) {
    if (!areSame(a.getSymbols(), b.getSymbols()) || a.getGuardAttr() != b.getGuardAttr() ||
        a.getPadAttr() != b.getPadAttr())
      return false;
    if (variation.kind == Variation::Shifted)
      return a.getSource() == b.getSource() && matchShift(a, b, variation);
    auto constant = b.getSource().getDefiningOp<ConstantOp>();
    if (!constant || a.getMap() != b.getMap() || a.getGuard())
      return false;
    variation.data.push_back(constant.getValue());
    if (siblings.mode.isStacked())
      return a.getSourceType() == b.getSourceType();
    return matchJoined(a, b, variation);
  }

  /// Reads of one tensor: their indexes differ by constants, which grow evenly.
  bool matchShift(ReadOp a, ReadOp b, Variation &variation) {
    SmallVector<int64_t> shift;
    for (auto [x, y] : llvm::zip_equal(a.getMap().getResults(), b.getMap().getResults())) {
      AffineExpr rest = simplifyAffineExpr(y - x, a.getMap().getNumDims(), a.getMap().getNumSymbols());
      auto constant = dyn_cast<AffineConstantExpr>(rest);
      if (!constant || constant.getValue() % number != 0)
        return false;
      shift.push_back(constant.getValue() / number);
      if (!siblings.mode.isStacked() &&
          (constant.getValue() != 0 || x.isFunctionOfDim(*siblings.mode.axis)))
        return false;
    }
    if (a.getGuard() && llvm::any_of(shift, [](int64_t s) { return s != 0; }))
      return false;
    if (number > 1 && variation.shift != shift)
      return false;
    variation.shift = std::move(shift);
    return true;
  }

  /// Reads of constants: either both are one constant that does not depend on the axis, or one dim
  /// of each is indexed by the axis, along which the constants are then joined.
  bool matchJoined(ReadOp a, ReadOp b, Variation &variation) {
    unsigned axis = *siblings.mode.axis;
    std::optional<unsigned> dim;
    for (auto [i, expr] : llvm::enumerate(a.getMap().getResults())) {
      if (!expr.isFunctionOfDim(axis))
        continue;
      if (dim || expr != getAffineDimExpr(axis, expr.getContext()))
        return false;
      dim = i;
    }
    variation.dim = dim;
    if (!dim)
      return variation.data.front() == variation.data.back();
    for (auto [i, sizes] : llvm::enumerate(
             llvm::zip_equal(a.getSourceType().getShape(), b.getSourceType().getShape())))
      if (i != dim && std::get<0>(sizes) != std::get<1>(sizes))
        return false;
    return a.getSourceType().getDimSize(*dim) == first.getStaticSizes()[axis] &&
           b.getSourceType().getDimSize(*dim) == next.getStaticSizes()[axis];
  }

  Siblings &siblings;
  ComputeOp first, next;
  int64_t number; ///< of `next` among the siblings
  SmallVector<Variation> found;
  unsigned nextVariation = 0;
  DenseMap<Value, Value> same; ///< values of `first` and those of `next` that correspond
};
} // namespace

bool Siblings::tryToAdd(ComputeOp next) { return SiblingMatcher(*this, next).match(); }
