//===- Image.cpp - the elements that an access touches -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Analysis/Image.h"
#include "dialects/te/Analysis/PieceBounds.h"
#include "dialects/te/IR/Sizes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

SmallVector<OpFoldResult> te::findSizes(Value tensor) {
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim = 0; dim < cast<RankedTensorType>(tensor.getType()).getRank(); ++dim)
    sizes.push_back(findSize(tensor, dim));
  return sizes;
}

SmallVector<OpFoldResult> te::getExtents(const TensorAccess &access,
                                         ArrayRef<OpFoldResult> domain) {
  SmallVector<OpFoldResult> extents(domain.take_front(access.point.numDims));
  PieceBounds bounds = getPieceBounds(access.point.where, extents.size());
  for (auto [dim, size] : llvm::enumerate(extents))
    if (size)
      size = bounds.getExtent(dim, size);
  return extents;
}

static const Polynomial &getLess(const Polynomial &a, const Polynomial &b) {
  return assumeSizes(b) < assumeSizes(a) ? b : a;
}

namespace {
/// A summand of an index: a multiple of something that takes `count` values. If `isRun`, these are
/// adjacent integers.
struct Summand {
  Polynomial factor, count;
  bool isExact = true, isRun = true;
};

using Summands = SmallVector<Summand, 0>;

/// Counts the values of index expressions over a box.
class IndexImage {
public:
  IndexImage(ArrayRef<OpFoldResult> extents, ValueRange symbols, SizeTable &sizes)
      : extents(extents), symbols(symbols), sizes(sizes) {}

  Image count(AffineExpr expr) {
    Summand sum = add(split(expr));
    return {sum.count, sum.isExact};
  }

private:
  ArrayRef<OpFoldResult> extents;
  ValueRange symbols;
  SizeTable &sizes;

  Summands split(AffineExpr expr);
  Summand divide(AffineBinaryOpExpr expr);
  Summand add(Summands summands);
  void addOne(Summand &sum, const Summand &next);
  Polynomial getValue(AffineExpr expr);
};
} // namespace

static bool hasDims(AffineExpr expr) {
  bool found = false;
  expr.walk([&](AffineExpr e) { found |= isa<AffineDimExpr>(e); });
  return found;
}

/// Returns an expression without dims as a polynomial; invalid if it is none.
Polynomial IndexImage::getValue(AffineExpr expr) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return Polynomial(constant.getValue());
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return sizes.get(symbols[symbol.getPosition()]);
  auto binary = cast<AffineBinaryOpExpr>(expr);
  if (expr.getKind() == AffineExprKind::Add)
    return getValue(binary.getLHS()) + getValue(binary.getRHS());
  if (expr.getKind() == AffineExprKind::Mul)
    return getValue(binary.getLHS()) * getValue(binary.getRHS());
  return Polynomial::getInvalid();
}

/// Returns the parts of `expr` that depend on dims. An offset does not change the count.
Summands IndexImage::split(AffineExpr expr) {
  if (!hasDims(expr))
    return {};
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return {{Polynomial(1), sizes.get(extents[dim.getPosition()])}};
  auto binary = cast<AffineBinaryOpExpr>(expr);
  if (expr.getKind() == AffineExprKind::Add) {
    Summands parts = split(binary.getLHS());
    llvm::append_range(parts, split(binary.getRHS()));
    return parts;
  }
  if (expr.getKind() != AffineExprKind::Mul)
    return {divide(binary)};
  AffineExpr factor = binary.getRHS(), rest = binary.getLHS();
  if (hasDims(factor))
    std::swap(factor, rest);
  Summands parts = split(rest);
  if (hasDims(factor)) { // a product of dims
    parts.push_back(add(split(factor)));
    Summand product{Polynomial(1), Polynomial(1), false, false};
    for (const Summand &part : parts)
      product.count = product.count * part.count;
    return {product};
  }
  for (Summand &part : parts)
    part.factor = part.factor * getValue(factor);
  return parts;
}

/// Returns whether the least value of `expr` is known to be 0.
static bool startsAtZero(AffineExpr expr) {
  if (isa<AffineDimExpr>(expr))
    return true;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  if (expr.getKind() == AffineExprKind::Add)
    return startsAtZero(binary.getLHS()) && startsAtZero(binary.getRHS());
  auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  return expr.getKind() == AffineExprKind::Mul && factor && factor.getValue() > 0 &&
         startsAtZero(binary.getLHS());
}

/// The values of a division or a remainder by something that does not depend on dims.
Summand IndexImage::divide(AffineBinaryOpExpr expr) {
  Summand sum = add(split(expr.getLHS()));
  Polynomial divisor = hasDims(expr.getRHS()) ? Polynomial::getInvalid() : getValue(expr.getRHS());
  sum.factor = Polynomial(1);
  if (expr.getKind() == AffineExprKind::Mod) {
    bool isLess = assumeSizes(divisor) < assumeSizes(sum.count);
    bool isKnown = divisor == sum.count || (divisor.getConstant() && sum.count.getConstant());
    sum.isExact &= sum.isRun && isKnown;
    sum.isRun = sum.isExact && isLess;
    sum.count = isLess ? divisor : sum.count;
    return sum;
  }
  std::optional<int64_t> count = sum.count.getConstant(), by = divisor.getConstant();
  bool fromZero = startsAtZero(expr.getLHS());
  if (sum.isRun && count && by && *by > 0)
    sum.count = Polynomial(fromZero ? llvm::divideCeilSigned(*count, *by)
                                    : llvm::divideCeilSigned(*count - 1, *by) + 1);
  sum.isExact &= sum.isRun && count && by && fromZero;
  return sum;
}

/// Returns lhs / rhs if `rhs` divides each term of `lhs`.
static std::optional<Polynomial> getQuotient(const Polynomial &lhs, const Polynomial &rhs) {
  if (!lhs.isValid() || !rhs.isValid() || rhs.getTerms().size() != 1)
    return std::nullopt;
  Polynomial quotient;
  for (const Term &term : lhs.getTerms()) {
    std::optional<Term> part = divideExactly(term, rhs.getTerms().front());
    if (!part)
      return std::nullopt;
    quotient = quotient + Polynomial(*part);
  }
  return quotient;
}

/// Adds a summand whose factor is at least that of `sum`, the sum of all before. The values of
/// `sum` are `count` multiples of `factor` if `isRun`.
void IndexImage::addOne(Summand &sum, const Summand &next) {
  sum.isExact &= next.isExact;
  std::optional<Polynomial> ratio = getQuotient(next.factor, sum.factor);
  bool isRun = sum.isRun && next.isRun && ratio;
  Polynomial product = sum.count * next.count;
  if (!isRun) {
    sum.isExact = sum.isRun = false;
    sum.count = product;
    return;
  }
  Polynomial length = sum.count + *ratio * (next.count - Polynomial(1));
  bool isEqual = *ratio == sum.count;
  bool isKnown =
      isEqual || *ratio == Polynomial(1) || (ratio->getConstant() && sum.count.getConstant());
  bool hasGaps = !isEqual && assumeSizes(*ratio) > assumeSizes(sum.count);
  sum.isExact &= isKnown;
  sum.isRun = isKnown && !hasGaps;
  sum.count = hasGaps ? product : length;
}

Summand IndexImage::add(Summands summands) {
  for (Summand &part : summands)
    if (assumeSizes(part.factor) < 0)
      part.factor = Polynomial(0) - part.factor;
  llvm::erase_if(summands, [](const Summand &part) { return part.count == Polynomial(1); });
  llvm::sort(summands, [](const Summand &a, const Summand &b) {
    return assumeSizes(a.factor) < assumeSizes(b.factor);
  });
  if (summands.empty())
    return {Polynomial(1), Polynomial(1)};
  Summand sum = summands.front();
  for (const Summand &next : llvm::drop_begin(summands))
    addOne(sum, next);
  sum.isRun &= sum.factor == Polynomial(1);
  return sum;
}

Image te::countImage(const TensorAccess &access, ArrayRef<OpFoldResult> extents, SizeTable &sizes) {
  Image image;
  Polynomial points(1);
  IndexImage indexes(extents, access.symbols, sizes);
  SmallVector<OpFoldResult> tensorSizes = findSizes(access.tensor);
  bool isGuarded = access.guard != IntegerSet();
  llvm::SmallBitVector used(extents.size());
  for (auto [number, expr] : llvm::enumerate(access.map.getResults())) {
    Polynomial all = sizes.get(tensorSizes[number]);
    Image index = access.opaque[number] ? Image{all, false} : indexes.count(expr);
    bool isKnown = all.getConstant() && index.count.getConstant();
    if (tensorSizes[number] && assumeSizes(all) < assumeSizes(index.count))
      index = {all, index.isExact && isGuarded && isKnown};
    else if (isGuarded && !(index.count == all))
      index.isExact = false;
    image.isExact &= index.isExact;
    image.count = image.count * index.count;
    for (unsigned dim = 0; dim < extents.size(); ++dim) {
      if (!access.opaque[number] && !expr.isFunctionOfDim(dim))
        continue;
      image.isExact &= !used[dim];
      if (!used[dim])
        points = points * sizes.get(extents[dim]);
      used.set(dim);
    }
  }
  return {getLess(image.count, points), image.isExact};
}
