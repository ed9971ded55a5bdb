//===- MaskedKeys.cpp - keys of attention that have no weight -------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Transforms/MaskedKeys.h"
#include "dialects/te/Analysis/IndexSimplifier.h"
#include "dialects/te/IR/Contraction.h"
#include "dialects/te/Transforms/WeightCollector.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

#include <cstring>

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

/// Masks are not followed through more expressions than this.
static constexpr unsigned mostExpressions = 8;

namespace {
/// The elements of a constant of f32 or i1, as bits.
class Elements {
public:
  static std::optional<Elements> get(ConstantOp constant) {
    Type type = constant.getType().getElementType();
    FailureOr<ConstantBytes> bytes = ConstantBytes::get(constant.getValue());
    if (failed(bytes) || !(type.isF32() || type.isInteger(1)))
      return std::nullopt;
    return Elements(*bytes, type.isF32() ? 4 : 1);
  }

  size_t size() const { return bytes.getBytes().size() / width; }
  uint32_t get(size_t number) const {
    uint32_t bits = 0;
    std::memcpy(&bits, bytes.getBytes().data() + number * width, width);
    return bits;
  }

  /// Returns how many of the `count` elements from `first` on are open, if those behind them are
  /// all closed.
  std::optional<int64_t> countOpen(int64_t first, int64_t count) const {
    int64_t length = 0;
    while (length < count && get(first + length) == open)
      ++length;
    for (int64_t number = length; number < count; ++number)
      if (get(first + number) != closed)
        return std::nullopt;
    return length;
  }

  uint32_t open = 0, closed = 0; ///< the two values of elements

private:
  Elements(ConstantBytes bytes, unsigned width) : bytes(std::move(bytes)), width(width) {}

  ConstantBytes bytes;
  unsigned width; ///< bytes of an element
};

/// What a mask does to scores.
struct Mask {
  AffineExpr masked; ///< not negative where the mask has its low value
  bool isInfinite = false;
};

/// Follows values through expressions that only rearrange and combine elements. All expressions
/// that it returns are over the dims of the first one.
class MaskFinder {
public:
  explicit MaskFinder(ComputeOp reader) : context(reader.getContext()) {
    for (unsigned dim = 0; dim < reader.getNumDims(); ++dim)
      point.push_back(getAffineDimExpr(dim, context));
  }

  /// Returns the mask of `score`, which nothing else than a product is added to.
  std::optional<Mask> find(Value score) {
    if (auto read = score.getDefiningOp<ReadOp>())
      return follow<Mask>(read, [&](Value value) { return find(value); });
    if (auto sum = score.getDefiningOp<arith::AddFOp>()) {
      for (auto [mask, product] :
           {std::pair(sum.getLhs(), sum.getRhs()), std::pair(sum.getRhs(), sum.getLhs())})
        if (isProduct(product))
          if (std::optional<Mask> found = findAdded(mask))
            return found;
      return std::nullopt;
    }
    auto select = score.getDefiningOp<arith::SelectOp>();
    return select ? findSelected(select, [&](Value other) { return isProduct(other); })
                  : std::nullopt;
  }

private:
  /// Returns the mask that `value`, which is 0 elsewhere, is.
  std::optional<Mask> findAdded(Value value) {
    if (auto read = value.getDefiningOp<ReadOp>()) {
      if (auto constant = read.getSource().getDefiningOp<ConstantOp>())
        return findConstant(read, constant);
      return follow<Mask>(read, [&](Value inner) { return findAdded(inner); });
    }
    if (auto sum = value.getDefiningOp<arith::AddFOp>())
      if (matchPattern(sum.getRhs(), m_AnyZeroFloat()))
        return findAdded(sum.getLhs());
    auto select = value.getDefiningOp<arith::SelectOp>();
    auto isZero = [](Value other) { return matchPattern(other, m_AnyZeroFloat()); };
    return select ? findSelected(select, isZero) : std::nullopt;
  }

  static bool isLow(const APFloat &value) {
    return value.isNegative() && (value.isInfinity() || value.convertToDouble() < -1e38);
  }

  /// Returns the low value of a mask, or nothing.
  static std::optional<APFloat> matchLow(Value value) {
    FloatAttr constant;
    if (matchPattern(value, m_Constant(&constant)) && isLow(constant.getValue()))
      return constant.getValue();
    return std::nullopt;
  }

  std::optional<Mask> findSelected(arith::SelectOp select, function_ref<bool(Value)> isOther) {
    std::optional<APFloat> ifTrue = matchLow(select.getTrueValue());
    std::optional<APFloat> ifFalse = matchLow(select.getFalseValue());
    if (!ifTrue == !ifFalse || !isOther(ifTrue ? select.getFalseValue() : select.getTrueValue()))
      return std::nullopt;
    AffineExpr holds = findCondition(select.getCondition(), /*isTrue=*/ifTrue.has_value());
    return holds ? std::optional(Mask{holds, (ifTrue ? *ifTrue : *ifFalse).isInfinity()})
                 : std::nullopt;
  }

  /// Returns whether `value` is a sum of products, or a multiple of one by a constant.
  bool isProduct(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto op = dyn_cast<ComputeOp>(argument.getOwner()->getParentOp());
      return op && argument.getOwner()->getParent() == &op.getEpilogue() && matchContraction(op);
    }
    auto product = value.getDefiningOp<arith::MulFOp>();
    FloatAttr factor;
    return product && matchPattern(product.getRhs(), m_Constant(&factor)) &&
           factor.getValue().isFinite() && std::abs(factor.getValueAsDouble()) <= 1 &&
           isProduct(product.getLhs());
  }

  /// Calls `visit` with the value that the expression yields which `read` reads, at the point that
  /// it is read at.
  template <typename T, typename Visit> T followTo(ReadOp read, T none, Visit visit) {
    auto source = read.getSource().getDefiningOp<ComputeOp>();
    if (!source || source.getPieces().size() != 1 || read.getGuard() ||
        !read.getSymbols().empty() || ++numFollowed > mostExpressions ||
        source.getNumResults() != 1)
      return none;
    SmallVector<AffineExpr> inner;
    for (AffineExpr index : read.getMap().getResults())
      inner.push_back(index.replaceDims(point));
    std::swap(point, inner);
    Block &body = source.hasReduction() && source.hasEpilogue() ? source.getEpilogue().front()
                                                                : *source.getPieceBlock();
    T found = source.hasReduction() && !source.hasEpilogue()
                  ? none
                  : visit(body.getTerminator()->getOperand(0));
    std::swap(point, inner);
    return found;
  }
  template <typename T, typename Visit> std::optional<T> follow(ReadOp read, Visit visit) {
    return followTo(read, std::optional<T>(), visit);
  }

  /// Returns an expression that is not negative exactly where `condition` is `isTrue`, or null.
  AffineExpr findCondition(Value condition, bool isTrue) {
    if (auto read = condition.getDefiningOp<ReadOp>()) {
      if (auto constant = read.getSource().getDefiningOp<ConstantOp>())
        return findPrefix(read, constant, isTrue);
      return followTo(read, AffineExpr(),
                      [&](Value inner) { return findCondition(inner, isTrue); });
    }
    if (auto inside = condition.getDefiningOp<InsideOp>()) {
      IntegerSet set = inside.getSet();
      if (set.getNumConstraints() != 1 || set.isEq(0) || !inside.getSymbols().empty())
        return {};
      AffineExpr holds = set.getConstraint(0).replaceDims(point);
      return isTrue ? holds : -holds - 1;
    }
    auto compare = condition.getDefiningOp<arith::CmpIOp>();
    AffineExpr lhs = compare ? findIndex(compare.getLhs()) : AffineExpr();
    AffineExpr rhs = lhs ? findIndex(compare.getRhs()) : AffineExpr();
    if (!rhs)
      return {};
    AffineExpr isLess; // not negative exactly where the comparison holds
    switch (compare.getPredicate()) {
    case arith::CmpIPredicate::slt:
      isLess = rhs - lhs - 1;
      break;
    case arith::CmpIPredicate::sle:
      isLess = rhs - lhs;
      break;
    case arith::CmpIPredicate::sgt:
      isLess = lhs - rhs - 1;
      break;
    case arith::CmpIPredicate::sge:
      isLess = lhs - rhs;
      break;
    default:
      return {};
    }
    return isTrue ? isLess : -isLess - 1;
  }

  /// Returns `value` as an expression over dims, or null.
  AffineExpr findIndex(Value value) {
    APInt constant;
    if (matchPattern(value, m_ConstantInt(&constant)) && constant.isSignedIntN(32))
      return getAffineConstantExpr(constant.getSExtValue(), context);
    if (auto read = value.getDefiningOp<ReadOp>())
      return followTo(read, AffineExpr(), [&](Value inner) { return findIndex(inner); });
    if (auto index = value.getDefiningOp<IndexOp>())
      return index.getSymbols().empty() ? index.getMap().getResult(0).replaceDims(point)
                                        : AffineExpr();
    if (auto cast = value.getDefiningOp<arith::IndexCastOp>())
      return cast.getType().isInteger(64) || cast.getType().isInteger(32) ? findIndex(cast.getIn())
                                                                          : AffineExpr();
    if (auto sum = value.getDefiningOp<arith::AddIOp>())
      return combine(sum.getLhs(), sum.getRhs(), 1);
    if (auto difference = value.getDefiningOp<arith::SubIOp>())
      return combine(difference.getLhs(), difference.getRhs(), -1);
    return {};
  }

  AffineExpr combine(Value lhs, Value rhs, int64_t sign) {
    AffineExpr left = findIndex(lhs), right = left ? findIndex(rhs) : AffineExpr();
    return right ? left + right * sign : AffineExpr();
  }

  std::optional<Mask> findConstant(ReadOp read, ConstantOp constant);
  /// Does the same as the following for a constant of i1, whose closed elements are `isTrue`.
  AffineExpr findPrefix(ReadOp read, ConstantOp constant, bool isTrue) {
    std::optional<Elements> elements = Elements::get(constant);
    if (!elements || !constant.getType().getElementType().isInteger(1))
      return {};
    elements->open = !isTrue;
    elements->closed = isTrue;
    return findPrefix(read, constant, *elements);
  }
  /// If the constant that `read` reads is a matrix, beside dims of size 1, whose row i begins with
  /// i + c elements that are open and has closed ones behind them, returns j - i - c for column j.
  AffineExpr findPrefix(ReadOp read, ConstantOp constant, const Elements &elements);

  MLIRContext *context;
  SmallVector<AffineExpr> point; ///< that the dims of the present body stand for
  unsigned numFollowed = 0;
};
} // namespace

std::optional<Mask> MaskFinder::findConstant(ReadOp read, ConstantOp constant) {
  std::optional<Elements> elements = Elements::get(constant);
  if (!elements || !constant.getType().getElementType().isF32() || elements->size() == 0)
    return std::nullopt;
  // The first row has no key beyond its first ones.
  int64_t columns = constant.getType().getShape().back();
  APFloat low(APFloat::IEEEsingle(), APInt(32, elements->get(columns - 1)));
  elements->open = 0;
  elements->closed = static_cast<uint32_t>(low.bitcastToAPInt().getZExtValue());
  AffineExpr masked = isLow(low) ? findPrefix(read, constant, *elements) : AffineExpr();
  return masked ? std::optional(Mask{masked, low.isInfinity()}) : std::nullopt;
}

AffineExpr MaskFinder::findPrefix(ReadOp read, ConstantOp constant, const Elements &elements) {
  ArrayRef<int64_t> shape = constant.getType().getShape();
  if (shape.size() < 2 || read.getGuard() || !read.getSymbols().empty() ||
      llvm::any_of(shape.drop_back(2), [](int64_t size) { return size != 1; }))
    return {};
  int64_t rows = shape[shape.size() - 2], columns = shape.back();
  std::optional<int64_t> more; // keys of row i beyond i
  for (int64_t row = 0; row < rows; ++row) {
    std::optional<int64_t> length = elements.countOpen(row * columns, columns);
    if (!length)
      return {};
    if (!more)
      more = *length;
    if (*length != std::min(row + *more, columns))
      return {};
  }
  ArrayRef<AffineExpr> indexes = read.getMap().getResults();
  AffineExpr row = indexes[indexes.size() - 2], column = indexes.back();
  return (column - row - more.value_or(0)).replaceDims(point);
}

AffineExpr te::findMaskedKeys(ComputeOp reader, Value score) {
  std::optional<Mask> mask = MaskFinder(reader).find(score);
  if (!mask)
    return {};
  // A finite low value counts for nothing only beside a key that has no mask: each row needs one.
  AffineExpr key = getAffineDimExpr(reader.getNumParallel() - 1, reader.getContext());
  AffineExpr ofFirst = mask->masked.replace(key, getAffineConstantExpr(0, reader.getContext()));
  SmallVector<IndexRange> ranges;
  for (int64_t size : reader.getStaticSizes())
    ranges.push_back(ShapedType::isDynamic(size)
                         ? IndexRange::atLeast(0)
                         : IndexRange::below(getAffineConstantExpr(size, reader.getContext())));
  IndexSimplifier simplifier(reader.getContext(), ranges, {});
  bool hasOpenKey = simplifier.isNonNegative(simplifier.simplify(-ofFirst - 1));
  return mask->isInfinite || hasOpenKey ? simplifier.simplify(mask->masked) : AffineExpr();
}
