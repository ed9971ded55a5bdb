//===- NormalMap.cpp - the list of primitives that a layout is made by -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// 1. Each logical dim is split into its digits. A dim of size 1 stays as it is.
// 2. One reorder brings the digits into the order of the physical dims.
// 3. The digits of each physical dim are fused.
//
// Dims of size 1 have no digits. If the physical tensor has more of them than the logical tensor,
// dim 0 is also split by 1. If it has fewer, the ones that are left over are fused into dim 0.
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Algebra/TensorLayout.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tssa::layout;

/// Returns the digits of logical dim `dim`, the most significant first, or nothing if `dims` does
/// not have all of them.
static std::optional<DigitList> findDigits(ArrayRef<DigitList> dims, unsigned dim,
                                           AffineExpr extent) {
  DigitList digits;
  AffineExpr low = getAffineConstantExpr(1, extent.getContext());
  while (low != extent) {
    const Digit *next = nullptr;
    for (ArrayRef<Digit> list : dims)
      for (const Digit &digit : list)
        if (digit.number == dim && digit.low == low)
          next = &digit;
    if (!next)
      return std::nullopt;
    digits.insert(digits.begin(), *next);
    low = next->high;
  }
  return digits;
}

namespace {
/// Each method is one of the steps above.
class NormalMapBuilder {
public:
  NormalMapBuilder(ArrayRef<DigitList> dims, ArrayRef<AffineExpr> shape)
      : dims(dims), shape(shape) {}

  /// Returns false if a factor is not constant, or if a digit of a logical dim is missing.
  bool split() {
    int64_t numUnits = countEmpty();
    numUnits -= llvm::count_if(shape, [](AffineExpr size) { return getConstant(size) == 1; });
    for (auto [dim, size] : llvm::enumerate(shape)) {
      std::optional<DigitList> digits = findDigits(dims, dim, size);
      if (!digits)
        return false;
      SmallVector<int64_t> factors;
      for (const Digit &digit : *digits) {
        factors.push_back(getConstant(digit.getExtent()).value_or(Primitive::kRemainder));
        if (factors.size() > 1 && factors.back() == Primitive::kRemainder)
          return false;
        positions.push_back({digit.number, digit.low});
      }
      addUnits(factors, factors.empty() + (dim == 0 ? std::max(numUnits, int64_t(0)) : 0));
      factors.front() = Primitive::kRemainder;
      // Splits of later dims come first, since they do not change the positions of earlier dims.
      if (factors.size() > 1)
        primitives.insert(primitives.begin(), Primitive::split(dim, factors));
    }
    return true;
  }

  void reorder() {
    for (ArrayRef<Digit> list : dims) {
      size_t first = order.size();
      for (const Digit &digit : list)
        order.push_back(llvm::find(positions, std::pair(std::optional(digit.number), digit.low)) -
                        positions.begin());
      // The first dim takes the dims of size 1 that are left over.
      size_t wanted = list.empty() ? 1 : 0;
      if (groups.empty())
        wanted += units.size() - std::min<size_t>(units.size(), countEmpty());
      order.append(units.begin(), units.begin() + wanted);
      units.erase(units.begin(), units.begin() + wanted);
      groups.push_back(order.size() - first);
    }
    if (!llvm::is_sorted(order))
      primitives.push_back(Primitive::reorder(order));
  }

  void fuse() {
    int64_t end = order.size();
    for (int64_t count : llvm::reverse(groups)) {
      end -= count;
      if (count > 1)
        primitives.push_back(Primitive::fuse(end, count));
    }
  }

  ArrayRef<Primitive> getPrimitives() const { return primitives; }

private:
  int64_t countEmpty() const {
    return llvm::count_if(dims, [](ArrayRef<Digit> list) { return list.empty(); });
  }

  void addUnits(SmallVectorImpl<int64_t> &factors, int64_t count) {
    for (; count > 0; --count) {
      factors.push_back(1);
      units.push_back(positions.size());
      positions.push_back({std::nullopt, AffineExpr()});
    }
  }

  ArrayRef<DigitList> dims;
  ArrayRef<AffineExpr> shape;
  SmallVector<Primitive> primitives;
  /// For each dim after the splits, the logical dim and `low` of its digit; nothing for a dim of
  /// size 1.
  SmallVector<std::pair<std::optional<unsigned>, AffineExpr>> positions;
  SmallVector<int64_t> units, order, groups;
};
} // namespace

std::optional<LayoutMap> TensorLayout::getNormalMap() const {
  if (!isBijective())
    return std::nullopt;
  NormalMapBuilder builder(dims, logicalShape);
  if (!builder.split())
    return std::nullopt;
  builder.reorder();
  builder.fuse();
  FailureOr<LayoutMap> normal = LayoutMap::get(builder.getPrimitives(), [](const Twine &) {});
  return succeeded(normal) ? std::optional(*normal) : std::nullopt;
}
