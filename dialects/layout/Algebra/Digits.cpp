//===- Digits.cpp - indexes as numbers in mixed radices -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Algebra/Digits.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace mlir::tssa::layout;

std::optional<int64_t> tssa::layout::getConstant(AffineExpr expr) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

static std::optional<int64_t> checkedSum(std::optional<int64_t> lhs, std::optional<int64_t> rhs) {
  int64_t result;
  if (!lhs || !rhs || llvm::AddOverflow(*lhs, *rhs, result))
    return std::nullopt;
  return result;
}

static std::optional<int64_t> checkedProduct(std::optional<int64_t> lhs,
                                             std::optional<int64_t> rhs) {
  int64_t result;
  if (!lhs || !rhs || llvm::MulOverflow(*lhs, *rhs, result))
    return std::nullopt;
  return result;
}

/// Returns a bound on the absolute value of every constant that folding can make from the sums and
/// products in `expr`, or nothing if the bound overflows. Folding does not look into divisions.
static std::optional<int64_t> boundConstants(AffineExpr expr) {
  if (std::optional<int64_t> constant = getConstant(expr))
    return *constant == INT64_MIN ? std::nullopt : std::optional(std::abs(*constant));
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return 1;
  std::optional<int64_t> lhs = boundConstants(binary.getLHS());
  std::optional<int64_t> rhs = boundConstants(binary.getRHS());
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return checkedSum(lhs, rhs);
  case AffineExprKind::Mul:
    return checkedProduct(lhs, rhs);
  default:
    // MLIR may fold a product divided by a constant to a product with a smaller factor.
    return lhs;
  }
}

AffineExpr SizeArithmetic::check(std::optional<int64_t> bound,
                                 llvm::function_ref<AffineExpr()> make) {
  if (bound)
    return make();
  overflowed = true;
  return constant(1);
}

AffineExpr SizeArithmetic::add(AffineExpr lhs, AffineExpr rhs) {
  return check(checkedSum(boundConstants(lhs), boundConstants(rhs)), [&] { return lhs + rhs; });
}

AffineExpr SizeArithmetic::subtract(AffineExpr lhs, AffineExpr rhs) {
  return check(checkedSum(boundConstants(lhs), boundConstants(rhs)), [&] { return lhs - rhs; });
}

AffineExpr SizeArithmetic::multiply(AffineExpr lhs, AffineExpr rhs) {
  return check(checkedProduct(boundConstants(lhs), boundConstants(rhs)), [&] { return lhs * rhs; });
}

AffineExpr SizeArithmetic::roundUp(AffineExpr size, int64_t factor) {
  if (size.isMultipleOf(factor))
    return size;
  return multiply(add(size, constant(factor - 1)).floorDiv(factor), constant(factor));
}

//===----------------------------------------------------------------------===//
// Digits
//===----------------------------------------------------------------------===//

AffineExpr Digit::getExtent() const {
  if (low == high)
    return getAffineConstantExpr(1, low.getContext());
  return high.floorDiv(low);
}

AffineExpr tssa::layout::getExtent(ArrayRef<Digit> list, SizeArithmetic &sizes) {
  AffineExpr extent = sizes.constant(1);
  for (const Digit &digit : list)
    extent = sizes.multiply(extent, digit.getExtent());
  return extent;
}

DigitList NumberTable::getWhole(unsigned number) const {
  AffineExpr extent = numbers[number].extent;
  return normalize(Digit{number, getAffineConstantExpr(1, extent.getContext()), extent});
}

std::optional<unsigned> NumberTable::findWhole(ArrayRef<Digit> list) const {
  if (list.size() != 1 || getConstant(list[0].low) != 1 ||
      list[0].high != numbers[list[0].number].extent)
    return std::nullopt;
  return list[0].number;
}

DigitList NumberTable::normalize(ArrayRef<Digit> list) const {
  DigitList merged;
  for (const Digit &digit : list) {
    // An Unpad may leave only one value of a dim. Its digit is kept, since guards depend on its
    // number.
    bool isUnpad = numbers[digit.number].kind == Number::Kind::Unpad && findWhole(digit);
    if (digit.low == digit.high && !isUnpad)
      continue;
    if (!merged.empty() && merged.back().number == digit.number && merged.back().low == digit.high)
      merged.back().low = digit.low;
    else
      merged.push_back(digit);
  }
  for (auto [i, digit] : llvm::enumerate(merged)) {
    std::optional<unsigned> whole = findWhole(digit);
    if (!whole || numbers[*whole].kind != Number::Kind::Recut)
      continue;
    DigitList opened(ArrayRef<Digit>(merged).take_front(i));
    opened.append(numbers[*whole].of);
    opened.append(merged.begin() + i + 1, merged.end());
    return normalize(opened);
  }
  return merged;
}

/// Replaces the digits of `list` by one digit of a new number.
static void replaceByWhole(NumberTable &numbers, DigitList &list, SizeArithmetic &sizes) {
  Number number;
  number.kind = Number::Kind::Recut;
  number.of = list;
  number.extent = getExtent(list, sizes);
  list = {Digit{numbers.add(number), sizes.constant(1), number.extent}};
}

/// Returns how many values to cut off the low end of `digit` in order to take `extent` values from
/// a list that ends with it. Returns null if `extent` and the extent of the digit have no common
/// divisor. `isLast` says that the list has no other digit. Then `extent` divides that of the
/// digit.
static AffineExpr findCommonExtent(const Digit &digit, AffineExpr extent, bool isLast) {
  AffineExpr given = digit.getExtent();
  if (isLast || given == extent)
    return extent;
  std::optional<int64_t> wantedCount = getConstant(extent), givenCount = getConstant(given);
  if (!givenCount || !wantedCount)
    return wantedCount && given.isMultipleOf(*wantedCount) ? extent : AffineExpr();
  int64_t common = std::gcd(*wantedCount, *givenCount);
  return common == 1 ? AffineExpr() : getAffineConstantExpr(common, given.getContext());
}

DigitList NumberTable::takeFromRight(DigitList &rest, AffineExpr extent, SizeArithmetic &sizes) {
  DigitList taken;
  while (getConstant(extent) != 1 && !rest.empty()) {
    Digit &last = rest.back();
    AffineExpr common = findCommonExtent(last, extent, rest.size() == 1);
    if (!common && getConstant(last.getExtent()) != 1) {
      replaceByWhole(*this, rest, sizes);
      continue;
    }
    if (!common || common == last.getExtent()) {
      taken.insert(taken.begin(), last);
      rest.pop_back();
    } else {
      AffineExpr middle = sizes.multiply(last.low, common);
      taken.insert(taken.begin(), {last.number, last.low, middle});
      last.low = middle;
    }
    if (common)
      extent = extent == common ? sizes.constant(1) : extent.floorDiv(common);
  }
  return taken;
}

SmallVector<DigitList> NumberTable::cut(DigitList list, ArrayRef<AffineExpr> extents,
                                        SizeArithmetic &sizes) {
  SmallVector<DigitList> parts(extents.size());
  for (size_t i = extents.size() - 1; i > 0; --i)
    parts[i] = normalize(takeFromRight(list, extents[i], sizes));
  parts[0] = normalize(list);
  return parts;
}

bool NumberTable::areEqual(const NumberTable &leftTable, ArrayRef<Digit> left,
                           const NumberTable &rightTable, ArrayRef<Digit> right) {
  if (left.size() != right.size())
    return false;
  return llvm::all_of(llvm::zip(left, right), [&](auto pair) {
    auto [l, r] = pair;
    const Number &a = leftTable[l.number], &b = rightTable[r.number];
    return l.low == r.low && l.high == r.high && a.kind == b.kind && a.extent == b.extent &&
           a.dim == b.dim && a.low == b.low && a.tile == b.tile && a.stride == b.stride &&
           areEqual(leftTable, a.of, rightTable, b.of) &&
           areEqual(leftTable, a.offset, rightTable, b.offset);
  });
}

SmallVector<bool> NumberTable::findUsed(ArrayRef<DigitList> dims) const {
  SmallVector<bool> used(numbers.size(), false);
  auto use = [&](ArrayRef<Digit> list) {
    for (const Digit &digit : list)
      used[digit.number] = true;
  };
  llvm::for_each(dims, use);
  for (size_t i = numbers.size(); i-- > 0;) {
    if (!used[i])
      continue;
    use(numbers[i].of);
    use(numbers[i].offset);
    // A Tile and its Offset are computed together, so if one is used, the other is too.
    if (numbers[i].kind == Number::Kind::Tile)
      used[i + 1] = true;
    if (numbers[i].kind == Number::Kind::Offset)
      used[i - 1] = true;
  }
  return used;
}
