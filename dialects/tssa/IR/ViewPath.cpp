//===- ViewPath.cpp - paths of view steps -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/tssa/IR/ViewPath.h"
#include "dialects/tssa/IR/TSSAOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include <numeric>

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::refs;

//===----------------------------------------------------------------------===//
// Steps and their operands
//===----------------------------------------------------------------------===//

ViewStep BoundStep::getStep() const { return cast<ViewStep>(step); }

bool BoundStep::operator==(const BoundStep &other) const {
  return getStep().getStepName() == other.getStep().getStepName() &&
         isEqualConstantIntOrValueArray(integers, other.integers);
}

Path refs::bindPath(ArrayAttr path, ValueRange operands) {
  Path result;
  Builder builder(path.getContext());
  unsigned next = 0;
  for (ViewStep step : path.getAsRange<ViewStep>()) {
    BoundStep bound{step, {}};
    for (int64_t integer : step.getIntegers())
      if (ShapedType::isDynamic(integer))
        bound.integers.push_back(operands[next++]);
      else
        bound.integers.push_back(builder.getIndexAttr(integer));
    result.push_back(std::move(bound));
  }
  return result;
}

ArrayAttr refs::splitPath(MLIRContext *context, const Path &path,
                          SmallVectorImpl<Value> &operands) {
  SmallVector<Attribute> steps;
  for (const BoundStep &bound : path) {
    SmallVector<int64_t> integers;
    for (OpFoldResult integer : bound.integers) {
      auto value = dyn_cast<Value>(integer);
      if (value)
        operands.push_back(value);
      integers.push_back(value ? ShapedType::kDynamic : *getConstantIntValue(integer));
    }
    steps.push_back(bound.getStep().withIntegers(integers));
  }
  return ArrayAttr::get(context, steps);
}

unsigned refs::countDynamic(ArrayAttr path) {
  unsigned count = 0;
  for (ViewStep step : path.getAsRange<ViewStep>())
    count += llvm::count_if(step.getIntegers(), ShapedType::isDynamic);
  return count;
}

static BoundStep bind(ViewStep step, ArrayRef<OpFoldResult> integers) {
  return {step, SmallVector<OpFoldResult>(integers)};
}

static int64_t getStatic(OpFoldResult integer) {
  return isa<Value>(integer) ? ShapedType::kDynamic : *getConstantIntValue(integer);
}

BoundStep refs::makeSelect(MLIRContext *context, int64_t dim, OpFoldResult index) {
  return bind(SelectAttr::get(context, {dim, getStatic(index)}),
              {Builder(context).getIndexAttr(dim), index});
}

BoundStep refs::makeSlice(MLIRContext *context, int64_t dim, OpFoldResult start, OpFoldResult size,
                          int64_t step) {
  Builder b(context);
  return bind(SliceAttr::get(context, {dim, getStatic(start), getStatic(size), step}),
              {b.getIndexAttr(dim), start, size, b.getIndexAttr(step)});
}

BoundStep refs::makePermute(MLIRContext *context, ArrayRef<int64_t> permutation) {
  return bind(PermuteAttr::get(context, permutation), getAsIndexOpFoldResult(context, permutation));
}

BoundStep refs::makeUnsqueeze(MLIRContext *context, int64_t dim) {
  return bind(UnsqueezeAttr::get(context, dim), getAsIndexOpFoldResult(context, dim));
}

BoundStep refs::makeSqueeze(MLIRContext *context, int64_t dim) {
  return bind(SqueezeAttr::get(context, dim), getAsIndexOpFoldResult(context, dim));
}

BoundStep refs::makeExpand(MLIRContext *context, int64_t dim, OpFoldResult size) {
  return bind(ExpandAttr::get(context, {dim, getStatic(size)}),
              {Builder(context).getIndexAttr(dim), size});
}

BoundStep refs::makeReshape(MLIRContext *context, ArrayRef<OpFoldResult> sizes) {
  return bind(ReshapeAttr::get(context, llvm::map_to_vector(sizes, getStatic)), sizes);
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<int64_t>> refs::inferShape(ArrayAttr path, ArrayRef<int64_t> shape,
                                                 function_ref<InFlightDiagnostic()> emitError) {
  FailureOr<SmallVector<int64_t>> result = SmallVector<int64_t>(shape);
  for (auto [position, step] : llvm::enumerate(path.getAsRange<ViewStep>())) {
    size_t number = position;
    result = step.inferShape(*result, [&] { return emitError() << "step " << number << ": "; });
    if (failed(result))
      return failure();
  }
  return result;
}

RankedTensorType refs::inferType(const Path &path, RankedTensorType type) {
  SmallVector<Value> operands;
  ArrayAttr steps = splitPath(type.getContext(), path, operands);
  FailureOr<SmallVector<int64_t>> shape = inferShape(
      steps, type.getShape(), [&] { return emitError(UnknownLoc::get(type.getContext())); });
  assert(succeeded(shape) && "the path fits the type");
  return RankedTensorType::get(*shape, type.getElementType());
}

SmallVector<OpFoldResult> refs::reifyShape(const Path &path, ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> result(sizes);
  for (const BoundStep &bound : path)
    result = bound.getStep().reifyShape(result, bound.integers);
  return result;
}

bool refs::isInjective(const Path &path) {
  return llvm::all_of(path, [](const BoundStep &bound) { return bound.getStep().isInjective(); });
}

bool refs::coversBase(const Path &path) {
  return llvm::all_of(path, [](const BoundStep &bound) { return bound.getStep().coversBase(); });
}

//===----------------------------------------------------------------------===//
// Maps
//===----------------------------------------------------------------------===//

/// Returns, for each step of `path`, the sizes of the tensor that the step is applied to, as
/// expressions; empty for steps that need no sizes.
static SmallVector<SmallVector<AffineExpr>>
getSizesBefore(const Path &path, ArrayRef<OpFoldResult> sizes, ExprFn toExpr) {
  SmallVector<SmallVector<AffineExpr>> result;
  SmallVector<OpFoldResult> current(sizes);
  for (const BoundStep &bound : path) {
    // Only a reshape needs sizes, so only a reshape makes symbols for them.
    bool isUsed = isa<ReshapeAttr>(bound.step);
    result.push_back(isUsed ? llvm::map_to_vector(current, toExpr) : SmallVector<AffineExpr>());
    current = bound.getStep().reifyShape(current, bound.integers);
  }
  return result;
}

SmallVector<AffineExpr> refs::mapOut(const Path &path, ArrayRef<AffineExpr> point,
                                     ArrayRef<OpFoldResult> sizes, MLIRContext *context,
                                     ExprFn toExpr) {
  SmallVector<SmallVector<AffineExpr>> before = getSizesBefore(path, sizes, toExpr);
  SmallVector<AffineExpr> result(point);
  for (auto [bound, sizes] : llvm::reverse(llvm::zip_equal(path, before)))
    result =
        bound.getStep().mapOut(result, llvm::map_to_vector(bound.integers, toExpr), sizes, context);
  return result;
}

std::optional<InverseMap> refs::mapIn(const Path &path, ArrayRef<AffineExpr> point,
                                      ArrayRef<OpFoldResult> sizes, MLIRContext *context,
                                      ExprFn toExpr) {
  InverseMap result;
  result.point.assign(point.begin(), point.end());
  for (auto [bound, sizes] : llvm::zip_equal(path, getSizesBefore(path, sizes, toExpr))) {
    std::optional<InverseMap> inverse = bound.getStep().mapIn(
        result.point, llvm::map_to_vector(bound.integers, toExpr), sizes, context);
    if (!inverse)
      return std::nullopt;
    result.point = std::move(inverse->point);
    llvm::append_range(result.constraints, inverse->constraints);
    llvm::append_range(result.isEquality, inverse->isEquality);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Paths against paths
//===----------------------------------------------------------------------===//

Path refs::concat(OpBuilder &builder, Location loc, const Path &path, const Path &next) {
  Path result;
  auto append = [&](const BoundStep &step) {
    std::optional<BoundStep> composed;
    if (!result.empty())
      composed = result.back().getStep().compose(builder, loc, result.back().integers, step);
    if (composed)
      result.back() = std::move(*composed);
    else
      result.push_back(step);
  };
  llvm::for_each(path, append);
  llvm::for_each(next, append);
  return result;
}

Box Box::whole(ArrayRef<OpFoldResult> sizes) {
  Box box;
  for (OpFoldResult size : sizes) {
    box.dims.push_back(box.ranges.size());
    box.ranges.push_back({0, Linear::of(size), 1});
  }
  return box;
}

Box refs::getBox(const Path &path, ArrayRef<OpFoldResult> sizes, bool &isWhole) {
  Box box = Box::whole(sizes);
  isWhole = true;
  for (const BoundStep &bound : path) {
    isWhole = bound.getStep().narrow(box, bound.integers);
    if (!isWhole)
      break;
  }
  return box;
}

/// Returns the last element of a range that is not empty.
static Linear getLast(const Box::Range &range) {
  return range.start + (range.size - Linear(1)) * range.step;
}

bool refs::areDisjoint(const Box::Range &left, const Box::Range &right) {
  if (left.size == Linear(0) || right.size == Linear(0))
    return true;
  if ((right.start - getLast(left)).isAtLeast(1) || (left.start - getLast(right)).isAtLeast(1))
    return true;
  std::optional<int64_t> distance = (right.start - left.start).getConstant();
  // A range of one element has no stride.
  int64_t leftStep = left.size == Linear(1) ? 0 : left.step;
  int64_t rightStep = right.size == Linear(1) ? 0 : right.step;
  int64_t common = std::gcd(leftStep, rightStep);
  return distance && (common ? *distance % common != 0 : *distance != 0);
}

static bool contains(const Box::Range &left, const Box::Range &right) {
  if (left.step != 1)
    return false;
  return (right.start - left.start).isAtLeast(0) && (getLast(left) - getLast(right)).isAtLeast(0);
}

static bool areEqual(const Box::Range &left, const Box::Range &right) {
  bool sameStep = left.step == right.step || left.size == Linear(1);
  return left.start == right.start && left.size == right.size && sameStep;
}

/// Returns whether both views have the same elements in the same order.
static bool areEqual(const Box &left, const Box &right) {
  for (auto [l, r] : llvm::zip_equal(left.ranges, right.ranges))
    if (!areEqual(l, r))
      return false;
  return left.dims == right.dims;
}

Relation refs::relate(const Path &left, const Path &right, ArrayRef<OpFoldResult> sizes) {
  if (left == right)
    return Relation::Equal;
  if (left.size() < right.size() && ArrayRef(right).take_front(left.size()) == ArrayRef(left))
    return Relation::Contains;
  bool leftIsWhole, rightIsWhole;
  Box leftBox = getBox(left, sizes, leftIsWhole), rightBox = getBox(right, sizes, rightIsWhole);
  auto ranges = llvm::zip_equal(leftBox.ranges, rightBox.ranges);
  if (llvm::any_of(ranges,
                   [](auto pair) { return areDisjoint(std::get<0>(pair), std::get<1>(pair)); }))
    return Relation::Disjoint;
  if (!leftIsWhole)
    return Relation::Unknown;
  if (rightIsWhole && areEqual(leftBox, rightBox))
    return Relation::Equal;
  bool isContained = llvm::all_of(
      ranges, [](auto pair) { return contains(std::get<0>(pair), std::get<1>(pair)); });
  return isContained ? Relation::Contains : Relation::Unknown;
}
