//===- ViewPathTest.cpp - the rules of view steps against lists -----------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// By definition, a view is a list of elements of its base. Random paths of up to five view
/// operations over small shapes, some of them empty, are applied to such lists, and the maps of the
/// operations are compared with the result.
///
//===----------------------------------------------------------------------===//

#include "dialects/tssa/IR/TSSAOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "gtest/gtest.h"

#include <map>
#include <random>
#include <set>

using namespace mlir;
using namespace mlir::tssa::refs;

namespace {
using Point = SmallVector<int64_t>;

struct View {
  Point shape;
  /// For each element in row-major order, its index in the base.
  std::vector<Point> elements;
};

std::vector<Point> listPoints(ArrayRef<int64_t> shape) {
  std::vector<Point> points = {{}};
  for (int64_t size : shape) {
    std::vector<Point> longer;
    for (const Point &point : points)
      for (int64_t i = 0; i < size; ++i) {
        longer.push_back(point);
        longer.back().push_back(i);
      }
    points = std::move(longer);
  }
  return points;
}

class ViewPathTest : public testing::Test {
protected:
  ViewPathTest() : builder(&context) { context.loadDialect<TSSADialect>(); }

  int64_t below(int64_t bound) {
    return std::uniform_int_distribution<int64_t>(0, bound - 1)(random);
  }
  OpFoldResult index(int64_t value) { return builder.getIndexAttr(value); }

  /// Replaces `view` by a view of it. The element at a point is that of the old view at
  /// `toOld(point)`.
  template <typename Fn> void gather(View &view, Point shape, Fn toOld) {
    std::map<Point, Point> old;
    for (auto [point, element] : llvm::zip_equal(listPoints(view.shape), view.elements))
      old[point] = element;
    View result{shape, {}};
    for (const Point &point : listPoints(shape))
      result.elements.push_back(old.at(toOld(point)));
    view = std::move(result);
  }

  /// Applies a random view operation that fits to `view` and returns it.
  std::optional<BoundStep> addStep(View &view) {
    int64_t rank = view.shape.size(), kind = below(7);
    if (kind == 0) {
      int64_t dim = below(rank + 1);
      view.shape.insert(view.shape.begin() + dim, 1);
      return makeUnsqueeze(&context, dim);
    }
    if (kind == 1)
      return addReshape(view);
    if (rank == 0)
      return std::nullopt;
    int64_t dim = below(rank), size = view.shape[dim];
    Point shape = view.shape;
    if (kind == 2 && size > 0) {
      int64_t at = below(size);
      shape.erase(shape.begin() + dim);
      gather(view, shape, [&](Point p) { return p.insert(p.begin() + dim, at), p; });
      return makeSelect(&context, dim, index(at));
    }
    if (kind == 3) {
      int64_t start = below(size + 1), step = 1 + below(3);
      shape[dim] = below((size - start + step - 1) / step + 1);
      gather(view, shape, [&](Point p) { return p[dim] = start + step * p[dim], p; });
      return makeSlice(&context, dim, index(start), index(shape[dim]), step);
    }
    if (kind == 4) {
      Point order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
      std::shuffle(order.begin(), order.end(), random);
      for (int64_t i = 0; i < rank; ++i)
        shape[i] = view.shape[order[i]];
      gather(view, shape, [&](Point p) {
        Point old = p;
        for (int64_t i = 0; i < rank; ++i)
          old[order[i]] = p[i];
        return old;
      });
      return makePermute(&context, order);
    }
    if (kind == 5 && size == 1) {
      view.shape.erase(view.shape.begin() + dim);
      return makeSqueeze(&context, dim);
    }
    if (kind == 6 && size == 1 && mayExpand) {
      shape[dim] = 1 + below(3);
      gather(view, shape, [&](Point p) { return p[dim] = 0, p; });
      return makeExpand(&context, dim, index(shape[dim]));
    }
    return std::nullopt;
  }

  /// Merges two dims or splits one.
  BoundStep addReshape(View &view) {
    Point &shape = view.shape;
    if (shape.size() > 1 && below(2)) {
      int64_t dim = below(shape.size() - 1);
      shape[dim] *= shape[dim + 1];
      shape.erase(shape.begin() + dim + 1);
    } else if (!shape.empty() && shape[0] % 2 == 0) {
      shape[0] /= 2;
      shape.insert(shape.begin() + below(2), 2);
    }
    return makeReshape(&context, getAsIndexOpFoldResult(&context, shape));
  }

  View makeBase() {
    View base;
    for (int64_t i = 0, rank = below(4); i < rank; ++i)
      base.shape.push_back(below(6) ? 1 + below(6) : below(2));
    base.elements = listPoints(base.shape);
    return base;
  }

  Path addPath(View &view) {
    Path path;
    for (int64_t i = 0, length = below(6); i < length; ++i)
      if (std::optional<BoundStep> step = addStep(view))
        path.push_back(std::move(*step));
    return path;
  }

  AffineExpr toExpr(OpFoldResult size) {
    return builder.getAffineConstantExpr(*getConstantIntValue(size));
  }
  SmallVector<AffineExpr> toExprs(ArrayRef<int64_t> point) {
    return llvm::map_to_vector(point, [&](int64_t i) { return builder.getAffineConstantExpr(i); });
  }
  static int64_t evaluate(AffineExpr expr) { return cast<AffineConstantExpr>(expr).getValue(); }

  MLIRContext context;
  OpBuilder builder;
  std::mt19937_64 random{1};
  bool mayExpand = true;
};
} // namespace

TEST_F(ViewPathTest, MapOutIsTheList) {
  auto expr = [&](OpFoldResult size) { return toExpr(size); };
  unsigned numElements = 0;
  for (int round = 0; round < 3000; ++round) {
    View base = makeBase(), view = base;
    Path path = addPath(view);
    SmallVector<OpFoldResult> sizes = getAsIndexOpFoldResult(&context, base.shape);
    ASSERT_EQ(reifyShape(path, sizes), getAsIndexOpFoldResult(&context, view.shape));
    for (auto [point, element] : llvm::zip_equal(listPoints(view.shape), view.elements)) {
      SmallVector<AffineExpr> mapped = mapOut(path, toExprs(point), sizes, &context, expr);
      ASSERT_EQ(llvm::map_to_vector(mapped, evaluate), element) << "round " << round;
      ++numElements;
    }
  }
  EXPECT_GT(numElements, 10000u);
}

TEST_F(ViewPathTest, MapInIsTheInverse) {
  mayExpand = false;
  auto expr = [&](OpFoldResult size) { return toExpr(size); };
  for (int round = 0; round < 3000; ++round) {
    View base = makeBase(), view = base;
    Path path = addPath(view);
    ASSERT_TRUE(isInjective(path));
    SmallVector<OpFoldResult> sizes = getAsIndexOpFoldResult(&context, base.shape);
    std::map<Point, Point> inverse;
    for (auto [point, element] : llvm::zip_equal(listPoints(view.shape), view.elements))
      inverse[element] = point;
    ASSERT_EQ(inverse.size(), view.elements.size());
    if (coversBase(path))
      ASSERT_EQ(inverse.size(), base.elements.size());
    for (const Point &point : base.elements) {
      std::optional<InverseMap> mapped = mapIn(path, toExprs(point), sizes, &context, expr);
      ASSERT_TRUE(mapped);
      bool isInside = true;
      for (auto [constraint, isEquality] : llvm::zip_equal(mapped->constraints, mapped->isEquality))
        isInside &= isEquality ? evaluate(constraint) == 0 : evaluate(constraint) >= 0;
      ASSERT_EQ(isInside, inverse.count(point) == 1) << "round " << round;
      if (isInside)
        ASSERT_EQ(llvm::map_to_vector(mapped->point, evaluate), inverse[point]);
    }
  }
}

TEST_F(ViewPathTest, ExpandedViewsAreNotInjective) {
  Path path = {makeUnsqueeze(&context, 0), makeExpand(&context, 0, index(3))};
  EXPECT_FALSE(isInjective(path));
  auto expr = [&](OpFoldResult size) { return toExpr(size); };
  EXPECT_FALSE(mapIn(path, {}, {}, &context, expr));
}

TEST_F(ViewPathTest, ConcatIsOnePathAfterTheOther) {
  auto expr = [&](OpFoldResult size) { return toExpr(size); };
  for (int round = 0; round < 1000; ++round) {
    View base = makeBase(), view = base;
    Path first = addPath(view), second = addPath(view);
    Path both = concat(builder, builder.getUnknownLoc(), first, second);
    ASSERT_LE(both.size(), first.size() + second.size());
    SmallVector<OpFoldResult> sizes = getAsIndexOpFoldResult(&context, base.shape);
    for (auto [point, element] : llvm::zip_equal(listPoints(view.shape), view.elements))
      ASSERT_EQ(llvm::map_to_vector(mapOut(both, toExprs(point), sizes, &context, expr), evaluate),
                element);
  }
}

TEST_F(ViewPathTest, RelationsHold) {
  std::map<Relation, int> seen;
  for (int round = 0; round < 4000; ++round) {
    View base = makeBase(), left = base, right = base;
    Path leftPath = addPath(left), rightPath = below(4) ? addPath(right) : leftPath;
    if (leftPath == rightPath)
      right = left;
    Relation relation = relate(leftPath, rightPath, getAsIndexOpFoldResult(&context, base.shape));
    ++seen[relation];
    std::set<Point> leftSet(left.elements.begin(), left.elements.end());
    std::set<Point> rightSet(right.elements.begin(), right.elements.end());
    unsigned common = llvm::count_if(leftSet, [&](const Point &p) { return rightSet.count(p); });
    if (relation == Relation::Equal)
      ASSERT_EQ(left.elements, right.elements);
    else if (relation == Relation::Disjoint)
      ASSERT_EQ(common, 0u);
    else if (relation == Relation::Contains)
      ASSERT_EQ(common, rightSet.size());
  }
  EXPECT_GT(seen[Relation::Disjoint], 100);
  EXPECT_GT(seen[Relation::Contains], 100);
}
