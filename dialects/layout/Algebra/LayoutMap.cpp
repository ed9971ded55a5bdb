//===- LayoutMap.cpp - how a tensor lies in memory, for any shape -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Algebra/LayoutMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tssa::layout;

using Kind = Primitive::Kind;

int64_t Primitive::getNumDimsBefore() const {
  switch (kind) {
  case Kind::Reorder:
    return values.size();
  case Kind::Fuse:
    return values[0];
  case Kind::Fold:
    return 2;
  default:
    return 1;
  }
}

int64_t Primitive::getNumDimsAfter() const {
  switch (kind) {
  case Kind::Reorder:
  case Kind::Split:
    return values.size();
  case Kind::Unfold:
    return 2;
  default:
    return 1;
  }
}

//===----------------------------------------------------------------------===//
// Checks of a single primitive
//===----------------------------------------------------------------------===//

/// Returns what is wrong with the values of a primitive, or "" if they are right.
static StringRef findFault(const Primitive &primitive) {
  ArrayRef<int64_t> values = primitive.values;
  auto isBelow = [&](int64_t bound) {
    return llvm::any_of(values, [=](int64_t v) { return v < bound; });
  };
  switch (primitive.kind) {
  case Kind::Split:
    if (values.empty() || values.size() > LayoutMap::kMaxRank)
      return "expected 1 to 64 factors";
    if (llvm::count(values, Primitive::kRemainder) > 1)
      return "expected at most one factor '*'";
    if (llvm::any_of(values, [](int64_t v) { return v < 1 && v != Primitive::kRemainder; }))
      return "expected factors of at least 1";
    return "";
  case Kind::Reorder: {
    SmallVector<int64_t> sorted(values);
    llvm::sort(sorted);
    for (auto [i, dim] : llvm::enumerate(sorted))
      if (dim != static_cast<int64_t>(i))
        return "expected a permutation of all dims";
    return values.empty() ? "expected at least one dim" : "";
  }
  case Kind::Fuse:
    return isBelow(2) || values[0] > LayoutMap::kMaxRank ? "expected 2 to 64 adjacent dims" : "";
  case Kind::Pad:
  case Kind::Unpad:
    return isBelow(0) ? "expected the counts of cells to be at least 0" : "";
  case Kind::PadTo:
    return isBelow(1) ? "expected a multiple of at least 1" : "";
  case Kind::Unfold:
    return isBelow(1) || values[1] > values[0]
               ? "expected a stride from 1 to the size of a tile, so that no element is left out"
               : "";
  case Kind::Fold:
    return isBelow(1) ? "expected a size and a stride of at least 1" : "";
  }
  return "";
}

/// Returns how many values a primitive of this kind has, if the kind determines it.
static std::optional<size_t> getNumValues(Kind kind) {
  switch (kind) {
  case Kind::Split:
  case Kind::Reorder:
    return std::nullopt;
  case Kind::Fuse:
  case Kind::PadTo:
    return 1;
  default:
    return 2;
  }
}

//===----------------------------------------------------------------------===//
// Lists
//===----------------------------------------------------------------------===//

namespace {
/// Follows the rank through a list of primitives. Until a reorder names all dims, the rank of the
/// first tensor is unknown. Only the difference between later ranks and this rank is known.
class RankCheck {
public:
  explicit RankCheck(Refuse refuse) : refuse(refuse) {}

  LogicalResult add(const Primitive &primitive) {
    if (StringRef fault = findFault(primitive); !fault.empty())
      return fail(primitive, fault);
    if (primitive.dim < 0 || primitive.dim >= LayoutMap::kMaxRank)
      return fail(primitive, "expected a dim from 0 to 63, got " + Twine(primitive.dim));
    if (primitive.kind == Kind::Reorder && failed(fixRank(primitive)))
      return failure();
    // The first tensor has at least as many dims as the primitive needs.
    int64_t end = primitive.dim + primitive.getNumDimsBefore();
    minRank = std::max(minRank, end - growth);
    if (rank && minRank > *rank)
      return fail(primitive, "dim " + Twine(end - 1) + " does not exist: the tensor has " +
                                 Twine(*rank + growth) + " dims there");
    growth += primitive.getNumDimsAfter() - primitive.getNumDimsBefore();
    if (minRank + growth > LayoutMap::kMaxRank)
      return fail(primitive, "expected at most 64 dims");
    return success();
  }

  std::optional<int64_t> getRank() const { return rank; }

private:
  LogicalResult fixRank(const Primitive &primitive) {
    int64_t named = primitive.values.size();
    if (rank && *rank + growth != named)
      return fail(primitive,
                  "expected all " + Twine(*rank + growth) + " dims, got " + Twine(named));
    if (named < minRank + growth || named - growth < 0)
      return fail(primitive, "expected at least " + Twine(std::max(minRank + growth, growth)) +
                                 " dims, got " + Twine(named));
    rank = named - growth;
    return success();
  }

  LogicalResult fail(const Primitive &primitive, const Twine &message) {
    refuse(toString(primitive) + ": " + message);
    return failure();
  }

  Refuse refuse;
  std::optional<int64_t> rank;
  int64_t minRank = 0, growth = 0;
};
} // namespace

FailureOr<LayoutMap> LayoutMap::get(ArrayRef<Primitive> primitives, Refuse refuse) {
  auto fail = [&](const Twine &message) -> FailureOr<LayoutMap> {
    refuse(message);
    return failure();
  };
  if (primitives.size() > static_cast<size_t>(kMaxPrimitives))
    return fail("expected at most 64 primitives in a layout map, got " + Twine(primitives.size()));
  RankCheck check(refuse);
  int64_t unfolds = 0;
  for (const Primitive &primitive : primitives) {
    size_t given = primitive.values.size(), wanted = getNumValues(primitive.kind).value_or(given);
    if (given != wanted)
      return fail("expected " + Twine(wanted) + " numbers after the dim of a primitive, got " +
                  Twine(given));
    unfolds += primitive.kind == Kind::Unfold || primitive.kind == Kind::Fold;
    if (unfolds > kMaxUnfolds)
      return fail(toString(primitive) + ": expected at most 6 unfolds and folds in a layout map");
    if (failed(check.add(primitive)))
      return failure();
  }
  LayoutMap map;
  map.primitives.assign(primitives.begin(), primitives.end());
  map.rank = check.getRank();
  return map;
}

FailureOr<LayoutMap> LayoutMap::compose(const LayoutMap &first, const LayoutMap &second,
                                        Refuse refuse) {
  SmallVector<Primitive, 4> primitives(first.primitives);
  primitives.append(second.primitives.begin(), second.primitives.end());
  return get(primitives, refuse);
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

SmallVector<int64_t> LayoutMap::toIntegers() const {
  SmallVector<int64_t> integers;
  for (const Primitive &primitive : primitives) {
    integers.append({static_cast<int64_t>(primitive.kind), primitive.dim,
                     static_cast<int64_t>(primitive.values.size())});
    integers.append(primitive.values.begin(), primitive.values.end());
  }
  return integers;
}

FailureOr<LayoutMap> LayoutMap::fromIntegers(ArrayRef<int64_t> integers, Refuse refuse) {
  SmallVector<Primitive> primitives;
  while (!integers.empty()) {
    bool isWhole = integers.size() >= 3 && integers[0] >= 0 &&
                   integers[0] <= static_cast<int64_t>(Kind::Fold) && integers[2] >= 0 &&
                   static_cast<uint64_t>(integers[2]) <= integers.size() - 3;
    if (!isWhole) {
      refuse(
          "expected for each primitive: its kind, its dim, the number of its values, its values");
      return failure();
    }
    ArrayRef<int64_t> values = integers.slice(3, integers[2]);
    primitives.push_back(
        {static_cast<Kind>(integers[0]), integers[1], SmallVector<int64_t, 4>(values)});
    integers = integers.drop_front(3 + values.size());
  }
  return get(primitives, refuse);
}
