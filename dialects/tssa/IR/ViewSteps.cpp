//===- ViewSteps.cpp - the implementation of the view steps -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/tssa/IR/ReshapeMap.h"
#include "dialects/tssa/IR/TSSAOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tssa/Support/CheckedSize.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace mlir::tssa::refs;

using EmitFn = function_ref<InFlightDiagnostic()>;

static constexpr int64_t dynamic = ShapedType::kDynamic;

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

template <typename T> static SmallVector<T> without(ArrayRef<T> list, unsigned position) {
  SmallVector<T> result(list);
  result.erase(result.begin() + position);
  return result;
}

template <typename T> static SmallVector<T> with(ArrayRef<T> list, unsigned position, T element) {
  SmallVector<T> result(list);
  result.insert(result.begin() + position, element);
  return result;
}

template <typename T>
static SmallVector<T> replaced(ArrayRef<T> list, unsigned position, T element) {
  SmallVector<T> result(list);
  result[position] = element;
  return result;
}

static LogicalResult checkDim(int64_t dim, int64_t bound, EmitFn emitError) {
  if (dim < bound)
    return success();
  return emitError() << "expected a dim below " << bound << ", got " << dim;
}

/// Checks that there are `number` integers, that none of them is negative, and that each `?` is at
/// one of the positions `free`.
static LogicalResult checkIntegers(EmitFn emitError, ArrayRef<int64_t> integers, size_t number,
                                   ArrayRef<unsigned> free) {
  if (integers.size() != number)
    return emitError() << "expected " << number << " integers, got " << integers.size();
  for (auto [i, integer] : llvm::enumerate(integers)) {
    if (integer == dynamic && !llvm::is_contained(free, i))
      return emitError() << "integer " << i << " must be a constant";
    if (integer != dynamic && integer < 0)
      return emitError() << "expected integers that are not negative, got " << integer;
  }
  return success();
}

/// Returns start + index * step. Returns null if the sum is a constant that overflows or is
/// negative.
static OpFoldResult addScaled(OpBuilder &builder, Location loc, OpFoldResult start,
                              OpFoldResult index, int64_t step) {
  std::optional<int64_t> knownStart = getConstantIntValue(start);
  std::optional<int64_t> knownIndex = getConstantIntValue(index);
  if (knownStart && knownIndex) {
    std::optional<int64_t> sum = llvm::checkedMulAdd(*knownIndex, step, *knownStart);
    return sum && *sum >= 0 ? OpFoldResult(builder.getIndexAttr(*sum)) : OpFoldResult();
  }
  auto toValue = [&](OpFoldResult number) {
    return getValueOrCreateConstantIndexOp(builder, loc, number);
  };
  Value scaled = toValue(index);
  if (step != 1)
    scaled = arith::MulIOp::create(builder, loc, scaled, toValue(builder.getIndexAttr(step)));
  if (knownStart == 0)
    return scaled;
  return arith::AddIOp::create(builder, loc, toValue(start), scaled).getResult();
}

//===----------------------------------------------------------------------===//
// select
//===----------------------------------------------------------------------===//

LogicalResult SelectAttr::verify(EmitFn emitError, ArrayRef<int64_t> integers) {
  return checkIntegers(emitError, integers, 2, 1);
}

bool SelectAttr::mayVary(unsigned position) const { return position == 1; }

ViewStep SelectAttr::withIntegers(ArrayRef<int64_t> integers) const {
  return get(getContext(), integers);
}

FailureOr<SmallVector<int64_t>> SelectAttr::inferShape(ArrayRef<int64_t> shape,
                                                       EmitFn emitError) const {
  int64_t dim = getIntegers()[0], index = getIntegers()[1];
  if (failed(checkDim(dim, shape.size(), emitError)))
    return failure();
  if (index != dynamic && shape[dim] != dynamic && index >= shape[dim])
    return emitError() << "select of element " << index << " of dim " << dim << ", which has size "
                       << shape[dim];
  return without(shape, dim);
}

SmallVector<OpFoldResult> SelectAttr::reifyShape(ArrayRef<OpFoldResult> sizes,
                                                 ArrayRef<OpFoldResult>) const {
  return without(sizes, getIntegers()[0]);
}

SmallVector<AffineExpr> SelectAttr::mapOut(ArrayRef<AffineExpr> point,
                                           ArrayRef<AffineExpr> integers, ArrayRef<AffineExpr>,
                                           MLIRContext *) const {
  return with(point, getIntegers()[0], integers[1]);
}

std::optional<InverseMap> SelectAttr::mapIn(ArrayRef<AffineExpr> point,
                                            ArrayRef<AffineExpr> integers, ArrayRef<AffineExpr>,
                                            MLIRContext *) const {
  int64_t dim = getIntegers()[0];
  return InverseMap{without(point, dim), {point[dim] - integers[1]}, {true}};
}

bool SelectAttr::coversBase() const { return false; }

bool SelectAttr::narrow(Box &box, ArrayRef<OpFoldResult> integers) const {
  int64_t dim = getIntegers()[0];
  if (int position = box.dims[dim]; position >= 0) {
    box.ranges[position].start =
        box.ranges[position].start + Linear::of(integers[1]) * box.ranges[position].step;
    box.ranges[position].size = 1;
    box.ranges[position].step = 1;
  }
  box.dims.erase(box.dims.begin() + dim);
  return true;
}

//===----------------------------------------------------------------------===//
// slice
//===----------------------------------------------------------------------===//

LogicalResult SliceAttr::verify(EmitFn emitError, ArrayRef<int64_t> integers) {
  if (failed(checkIntegers(emitError, integers, 4, {1, 2})))
    return failure();
  if (integers[3] < 1)
    return emitError() << "expected a step of at least 1, got " << integers[3];
  return success();
}

bool SliceAttr::mayVary(unsigned position) const { return position == 1 || position == 2; }

ViewStep SliceAttr::withIntegers(ArrayRef<int64_t> integers) const {
  return get(getContext(), integers);
}

FailureOr<SmallVector<int64_t>> SliceAttr::inferShape(ArrayRef<int64_t> shape,
                                                      EmitFn emitError) const {
  ArrayRef<int64_t> i = getIntegers();
  if (failed(checkDim(i[0], shape.size(), emitError)))
    return failure();
  bool isKnown = i[1] != dynamic && i[2] != dynamic && shape[i[0]] != dynamic;
  // An empty slice may start anywhere, because composing slices may move its start.
  bool isOutside =
      isKnown && i[2] && (i[1] >= shape[i[0]] || (shape[i[0]] - 1 - i[1]) / i[3] < i[2] - 1);
  if (isOutside)
    return emitError() << "slice of " << i[2] << " elements from " << i[1] << " with step " << i[3]
                       << " of dim " << i[0] << ", which has size " << shape[i[0]];
  return replaced(shape, i[0], i[2]);
}

SmallVector<OpFoldResult> SliceAttr::reifyShape(ArrayRef<OpFoldResult> sizes,
                                                ArrayRef<OpFoldResult> integers) const {
  return replaced(sizes, getIntegers()[0], integers[2]);
}

SmallVector<AffineExpr> SliceAttr::mapOut(ArrayRef<AffineExpr> point, ArrayRef<AffineExpr> integers,
                                          ArrayRef<AffineExpr>, MLIRContext *) const {
  int64_t dim = getIntegers()[0];
  return replaced(point, dim, integers[1] + point[dim] * getIntegers()[3]);
}

std::optional<InverseMap> SliceAttr::mapIn(ArrayRef<AffineExpr> point,
                                           ArrayRef<AffineExpr> integers, ArrayRef<AffineExpr>,
                                           MLIRContext *) const {
  int64_t dim = getIntegers()[0], step = getIntegers()[3];
  AffineExpr offset = point[dim] - integers[1];
  AffineExpr index = offset.floorDiv(step);
  InverseMap inverse{
      replaced(point, dim, index), {offset, integers[2] - 1 - index}, {false, false}};
  if (step > 1) {
    inverse.constraints.push_back(offset % step);
    inverse.isEquality.push_back(true);
  }
  return inverse;
}

bool SliceAttr::coversBase() const { return false; }

std::optional<BoundStep> SliceAttr::compose(OpBuilder &builder, Location loc,
                                            ArrayRef<OpFoldResult> integers,
                                            const BoundStep &next) const {
  int64_t dim = getIntegers()[0], step = getIntegers()[3];
  if (!isa<SelectAttr, SliceAttr>(next.step) || next.getStep().getIntegers()[0] != dim)
    return std::nullopt;
  auto slice = dyn_cast<SliceAttr>(next.step);
  std::optional<int64_t> product = llvm::checkedMul(step, slice ? slice.getIntegers()[3] : 1);
  if (!product)
    return std::nullopt;
  OpFoldResult start = addScaled(builder, loc, integers[1], next.integers[1], step);
  if (!start)
    return std::nullopt;
  if (!slice)
    return makeSelect(getContext(), dim, start);
  return makeSlice(getContext(), dim, start, next.integers[2], *product);
}

bool SliceAttr::narrow(Box &box, ArrayRef<OpFoldResult> integers) const {
  int position = box.dims[getIntegers()[0]];
  if (position < 0)
    return getConstantIntValue(integers[2]) == 1;
  Box::Range &narrowed = box.ranges[position];
  std::optional<int64_t> step = llvm::checkedMul(narrowed.step, getIntegers()[3]);
  if (!step)
    return false;
  narrowed.start = narrowed.start + Linear::of(integers[1]) * narrowed.step;
  narrowed.size = Linear::of(integers[2]);
  narrowed.step = *step;
  return true;
}

//===----------------------------------------------------------------------===//
// permute
//===----------------------------------------------------------------------===//

LogicalResult PermuteAttr::verify(EmitFn emitError, ArrayRef<int64_t> integers) {
  SmallVector<bool> seen(integers.size(), false);
  for (int64_t dim : integers) {
    if (dim < 0 || dim >= static_cast<int64_t>(integers.size()) || seen[dim])
      return emitError() << "expected a permutation of the dims";
    seen[dim] = true;
  }
  return success();
}

ViewStep PermuteAttr::withIntegers(ArrayRef<int64_t> integers) const {
  return get(getContext(), integers);
}

FailureOr<SmallVector<int64_t>> PermuteAttr::inferShape(ArrayRef<int64_t> shape,
                                                        EmitFn emitError) const {
  if (shape.size() != getIntegers().size())
    return emitError() << "permutation of " << getIntegers().size() << " dims of a tensor with "
                       << shape.size();
  return llvm::map_to_vector(getIntegers(), [&](int64_t dim) { return shape[dim]; });
}

SmallVector<OpFoldResult> PermuteAttr::reifyShape(ArrayRef<OpFoldResult> sizes,
                                                  ArrayRef<OpFoldResult>) const {
  return llvm::map_to_vector(getIntegers(), [&](int64_t dim) { return sizes[dim]; });
}

SmallVector<AffineExpr> PermuteAttr::mapOut(ArrayRef<AffineExpr> point, ArrayRef<AffineExpr>,
                                            ArrayRef<AffineExpr>, MLIRContext *) const {
  SmallVector<AffineExpr> result(point);
  for (auto [i, dim] : llvm::enumerate(getIntegers()))
    result[dim] = point[i];
  return result;
}

std::optional<InverseMap> PermuteAttr::mapIn(ArrayRef<AffineExpr> point, ArrayRef<AffineExpr>,
                                             ArrayRef<AffineExpr>, MLIRContext *) const {
  return InverseMap{
      llvm::map_to_vector(getIntegers(), [&](int64_t dim) { return point[dim]; }), {}, {}};
}

std::optional<BoundStep> PermuteAttr::compose(OpBuilder &, Location, ArrayRef<OpFoldResult>,
                                              const BoundStep &next) const {
  auto permute = dyn_cast<PermuteAttr>(next.step);
  if (!permute)
    return std::nullopt;
  return makePermute(getContext(), llvm::map_to_vector(permute.getIntegers(), [&](int64_t dim) {
                       return getIntegers()[dim];
                     }));
}

bool PermuteAttr::narrow(Box &box, ArrayRef<OpFoldResult>) const {
  box.dims = llvm::map_to_vector<6>(getIntegers(), [&](int64_t dim) { return box.dims[dim]; });
  return true;
}

//===----------------------------------------------------------------------===//
// unsqueeze and squeeze
//===----------------------------------------------------------------------===//

LogicalResult UnsqueezeAttr::verify(EmitFn emitError, ArrayRef<int64_t> integers) {
  return checkIntegers(emitError, integers, 1, {});
}

ViewStep UnsqueezeAttr::withIntegers(ArrayRef<int64_t> integers) const {
  return get(getContext(), integers);
}

FailureOr<SmallVector<int64_t>> UnsqueezeAttr::inferShape(ArrayRef<int64_t> shape,
                                                          EmitFn emitError) const {
  if (failed(checkDim(getIntegers()[0], shape.size() + 1, emitError)))
    return failure();
  return with(shape, getIntegers()[0], int64_t(1));
}

SmallVector<OpFoldResult> UnsqueezeAttr::reifyShape(ArrayRef<OpFoldResult> sizes,
                                                    ArrayRef<OpFoldResult>) const {
  return with(sizes, getIntegers()[0], OpFoldResult(Builder(getContext()).getIndexAttr(1)));
}

SmallVector<AffineExpr> UnsqueezeAttr::mapOut(ArrayRef<AffineExpr> point, ArrayRef<AffineExpr>,
                                              ArrayRef<AffineExpr>, MLIRContext *) const {
  return without(point, getIntegers()[0]);
}

std::optional<InverseMap> UnsqueezeAttr::mapIn(ArrayRef<AffineExpr> point, ArrayRef<AffineExpr>,
                                               ArrayRef<AffineExpr>, MLIRContext *context) const {
  return InverseMap{with(point, getIntegers()[0], getAffineConstantExpr(0, context)), {}, {}};
}

bool UnsqueezeAttr::narrow(Box &box, ArrayRef<OpFoldResult>) const {
  box.dims.insert(box.dims.begin() + getIntegers()[0], -1);
  return true;
}

LogicalResult SqueezeAttr::verify(EmitFn emitError, ArrayRef<int64_t> integers) {
  return checkIntegers(emitError, integers, 1, {});
}

ViewStep SqueezeAttr::withIntegers(ArrayRef<int64_t> integers) const {
  return get(getContext(), integers);
}

/// Checks that dim `dim` may have size 1.
static LogicalResult checkIsOne(int64_t dim, ArrayRef<int64_t> shape, EmitFn emitError) {
  if (failed(checkDim(dim, shape.size(), emitError)))
    return failure();
  if (shape[dim] != 1 && shape[dim] != dynamic)
    return emitError() << "expected dim " << dim << " to have size 1, got " << shape[dim];
  return success();
}

FailureOr<SmallVector<int64_t>> SqueezeAttr::inferShape(ArrayRef<int64_t> shape,
                                                        EmitFn emitError) const {
  if (failed(checkIsOne(getIntegers()[0], shape, emitError)))
    return failure();
  return without(shape, getIntegers()[0]);
}

SmallVector<OpFoldResult> SqueezeAttr::reifyShape(ArrayRef<OpFoldResult> sizes,
                                                  ArrayRef<OpFoldResult>) const {
  return without(sizes, getIntegers()[0]);
}

SmallVector<AffineExpr> SqueezeAttr::mapOut(ArrayRef<AffineExpr> point, ArrayRef<AffineExpr>,
                                            ArrayRef<AffineExpr>, MLIRContext *context) const {
  return with(point, getIntegers()[0], getAffineConstantExpr(0, context));
}

std::optional<InverseMap> SqueezeAttr::mapIn(ArrayRef<AffineExpr> point, ArrayRef<AffineExpr>,
                                             ArrayRef<AffineExpr>, MLIRContext *) const {
  return InverseMap{without(point, getIntegers()[0]), {}, {}};
}

bool SqueezeAttr::narrow(Box &box, ArrayRef<OpFoldResult>) const {
  box.dims.erase(box.dims.begin() + getIntegers()[0]);
  return true;
}

//===----------------------------------------------------------------------===//
// expand
//===----------------------------------------------------------------------===//

LogicalResult ExpandAttr::verify(EmitFn emitError, ArrayRef<int64_t> integers) {
  return checkIntegers(emitError, integers, 2, 1);
}

bool ExpandAttr::mayVary(unsigned position) const { return position == 1; }

ViewStep ExpandAttr::withIntegers(ArrayRef<int64_t> integers) const {
  return get(getContext(), integers);
}

FailureOr<SmallVector<int64_t>> ExpandAttr::inferShape(ArrayRef<int64_t> shape,
                                                       EmitFn emitError) const {
  if (failed(checkIsOne(getIntegers()[0], shape, emitError)))
    return failure();
  return replaced(shape, getIntegers()[0], getIntegers()[1]);
}

SmallVector<OpFoldResult> ExpandAttr::reifyShape(ArrayRef<OpFoldResult> sizes,
                                                 ArrayRef<OpFoldResult> integers) const {
  return replaced(sizes, getIntegers()[0], integers[1]);
}

SmallVector<AffineExpr> ExpandAttr::mapOut(ArrayRef<AffineExpr> point, ArrayRef<AffineExpr>,
                                           ArrayRef<AffineExpr>, MLIRContext *context) const {
  return replaced(point, getIntegers()[0], getAffineConstantExpr(0, context));
}

std::optional<InverseMap> ExpandAttr::mapIn(ArrayRef<AffineExpr>, ArrayRef<AffineExpr>,
                                            ArrayRef<AffineExpr>, MLIRContext *) const {
  return std::nullopt;
}

bool ExpandAttr::isInjective() const { return false; }

bool ExpandAttr::coversBase() const { return getIntegers()[1] != dynamic && getIntegers()[1] > 0; }

//===----------------------------------------------------------------------===//
// reshape
//===----------------------------------------------------------------------===//

LogicalResult ReshapeAttr::verify(EmitFn emitError, ArrayRef<int64_t> integers) {
  if (llvm::any_of(integers, [](int64_t size) { return size != dynamic && size < 0; }))
    return emitError() << "expected sizes that are not negative";
  return success();
}

bool ReshapeAttr::mayVary(unsigned) const { return true; }

ViewStep ReshapeAttr::withIntegers(ArrayRef<int64_t> integers) const {
  return get(getContext(), integers);
}

FailureOr<SmallVector<int64_t>> ReshapeAttr::inferShape(ArrayRef<int64_t> shape,
                                                        EmitFn emitError) const {
  if (llvm::is_contained(shape, dynamic) || llvm::is_contained(getIntegers(), dynamic))
    return SmallVector<int64_t>(getIntegers());
  std::optional<int64_t> before = ::tssa::CheckedSize::product(shape).get();
  std::optional<int64_t> after = ::tssa::CheckedSize::product(getIntegers()).get();
  if (!before || !after)
    return emitError() << "reshape of more elements than 64 bits can count";
  if (before != after)
    return emitError() << "reshape of " << *before << " elements to " << *after;
  return SmallVector<int64_t>(getIntegers());
}

SmallVector<OpFoldResult> ReshapeAttr::reifyShape(ArrayRef<OpFoldResult>,
                                                  ArrayRef<OpFoldResult> integers) const {
  return SmallVector<OpFoldResult>(integers);
}

SmallVector<AffineExpr> ReshapeAttr::mapOut(ArrayRef<AffineExpr> point,
                                            ArrayRef<AffineExpr> integers,
                                            ArrayRef<AffineExpr> sizes,
                                            MLIRContext *context) const {
  return mapReshape(point, integers, sizes, context);
}

std::optional<InverseMap> ReshapeAttr::mapIn(ArrayRef<AffineExpr> point,
                                             ArrayRef<AffineExpr> integers,
                                             ArrayRef<AffineExpr> sizes,
                                             MLIRContext *context) const {
  return InverseMap{mapReshape(point, sizes, integers, context), {}, {}};
}

std::optional<BoundStep> ReshapeAttr::compose(OpBuilder &, Location, ArrayRef<OpFoldResult>,
                                              const BoundStep &next) const {
  return isa<ReshapeAttr>(next.step) ? std::optional(next) : std::nullopt;
}
