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

/// Returns the value of an operand that is a scalar constant, inside or outside of the expression,
/// or null.
static TypedAttr getScalar(Value operand) {
  auto constant = operand.getDefiningOp<arith::ConstantOp>();
  bool isNumber = constant && operand.getType().isIntOrFloat();
  return isNumber ? constant.getValue() : TypedAttr();
}

Siblings::Siblings(ComputeOp first, SiblingMode mode) : mode(mode), members{first} {
  first->walk([&](Operation *op) {
    if (op == first)
      return;
    if (auto read = dyn_cast<ReadOp>(op)) {
      Variation variation{Variation::Shifted, op, 0, {}, {}, {}};
      if (auto constant = read.getSource().getDefiningOp<ConstantOp>()) {
        variation.kind = Variation::Joined;
        variation.data.push_back(constant.getValue());
      }
      variations.push_back(variation);
      return;
    }
    for (auto [i, operand] : llvm::enumerate(op->getOperands()))
      if (TypedAttr value = getScalar(operand))
        variations.push_back({Variation::Scalar, op, static_cast<unsigned>(i), {}, {value}, {}});
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
    for (auto [a, b] : llvm::zip_equal(first->getRegions(), next->getRegions())) {
      isCombiner = &a == &first.getCombiner();
      if (!matchRegion(a, b))
        return false;
    }
    siblings.variations = std::move(found);
    siblings.members.push_back(next);
    return true;
  }

private:
  bool haveEqualDomains() {
    if (first.getNumParallel() != next.getNumParallel() ||
        first.getDynamicSizes() != next.getDynamicSizes() ||
        first.getStaticSizes().size() != next.getStaticSizes().size() ||
        first.getNumResults() != 1 || next.getNumResults() != 1 ||
        getElementType(first) != getElementType(next))
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
    if (left.getArgumentTypes() != right.getArgumentTypes())
      return false;
    for (auto [x, y] : llvm::zip_equal(left.getArguments(), right.getArguments()))
      same[x] = y;
    SmallVector<Operation *> ops = collectOps(left), others = collectOps(right);
    return ops.size() == others.size() &&
           llvm::all_of(llvm::zip_equal(ops, others),
                        [&](auto pair) { return matchOp(*std::get<0>(pair), *std::get<1>(pair)); });
  }

  /// Returns the ops of a body without the scalar constants, which are compared where they are
  /// used.
  static SmallVector<Operation *> collectOps(Block &body) {
    SmallVector<Operation *> ops;
    for (Operation &op : body)
      if (!isa<arith::ConstantOp>(op))
        ops.push_back(&op);
    return ops;
  }

  bool areSame(Value a, Value b) {
    auto known = same.find(a);
    return known == same.end() ? a == b : known->second == b;
  }
  bool areSame(ValueRange a, ValueRange b) {
    return a.size() == b.size() && llvm::all_of(llvm::zip_equal(a, b), [&](auto pair) {
             return areSame(std::get<0>(pair), std::get<1>(pair));
           });
  }

  bool matchOp(Operation &a, Operation &b) {
    if (a.getName() != b.getName() || a.getResultTypes() != b.getResultTypes() ||
        a.getNumRegions() != 0 || b.getNumRegions() != 0)
      return false;
    for (auto [x, y] : llvm::zip_equal(a.getResults(), b.getResults()))
      same[x] = y;
    if (auto read = dyn_cast<ReadOp>(a))
      return matchRead(read, cast<ReadOp>(b), found[nextVariation++]);
    if (a.getNumOperands() != b.getNumOperands() || a.getAttrDictionary() != b.getAttrDictionary())
      return false;
    for (auto [x, y] : llvm::zip_equal(a.getOperands(), b.getOperands()))
      if (!matchOperand(x, y))
        return false;
    return siblings.mode.isStacked() || !usesAxis(a);
  }

  bool matchOperand(Value a, Value b) {
    if (!getScalar(a))
      return areSame(a, b);
    TypedAttr scalar = getScalar(b);
    found[nextVariation++].data.push_back(scalar);
    return scalar && scalar.getType() == a.getType() && (!isCombiner || scalar == getScalar(a));
  }

  /// Returns whether the index expression of te.index or te.inside depends on the axis.
  bool usesAxis(Operation &op) {
    unsigned axis = *siblings.mode.axis;
    if (auto index = dyn_cast<IndexOp>(op))
      return index.getMap().isFunctionOfDim(axis);
    auto inside = dyn_cast<InsideOp>(op);
    return inside && llvm::any_of(inside.getSet().getConstraints(),
                                  [&](AffineExpr expr) { return expr.isFunctionOfDim(axis); });
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
      AffineExpr rest =
          simplifyAffineExpr(y - x, a.getMap().getNumDims(), a.getMap().getNumSymbols());
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
  bool isCombiner = false;     ///< whether the ops of the combiner are compared, which cannot read
  DenseMap<Value, Value> same; ///< values of `first` and those of `next` that correspond
};
} // namespace

bool Siblings::tryToAdd(ComputeOp next) { return SiblingMatcher(*this, next).match(); }
