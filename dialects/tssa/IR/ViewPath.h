//===- ViewPath.h - paths of view steps -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A path says which elements of a base a view has, as a list of view steps from the base
/// to the view. The structures here bind each `?` of a step to an index value.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TSSA_IR_VIEWPATH_H
#define DIALECTS_TSSA_IR_VIEWPATH_H

#include "dialects/tssa/IR/Linear.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"

namespace mlir::tssa::refs {

class ViewStep;

/// A view step with all its integers, each an IndexAttr or a value of type index.
struct BoundStep {
  Attribute step;
  SmallVector<OpFoldResult> integers;

  ViewStep getStep() const;
  bool operator==(const BoundStep &other) const;
};

using Path = SmallVector<BoundStep>;

/// Maps an element of the base to the element of the view that aliases it.
struct InverseMap {
  SmallVector<AffineExpr> point;
  /// The element of the base is in the view if each of these expressions is zero (where
  /// `isEquality`) or non-negative (elsewhere).
  SmallVector<AffineExpr> constraints;
  SmallVector<bool> isEquality;
};

/// A slice of a base: a strided range of each dim.
struct Box {
  struct Range {
    Linear start, size;
    int64_t step = 1;
  };
  /// One range for each dim of the base.
  SmallVector<Range> ranges;
  /// For each dim of the view, the dim of the base that it steps through, or -1 if a step inserted
  /// the dim (with size 1).
  SmallVector<int> dims;

  /// Returns the box of all elements of a base of `sizes`.
  static Box whole(ArrayRef<OpFoldResult> sizes);
};

enum class Relation { Equal, Disjoint, Contains, Unknown };

/// Returns the steps of `path`, an array of view steps, with `operands` bound to each `?`.
Path bindPath(ArrayAttr path, ValueRange operands);
/// Inverse of `bindPath`: returns the array of steps and appends the values to `operands`.
ArrayAttr splitPath(MLIRContext *context, const Path &path, SmallVectorImpl<Value> &operands);
/// Returns the number of `?` in `path`.
unsigned countDynamic(ArrayAttr path);

/// Returns the shape of the view along `path` of a tensor of shape `shape`. Emits an error and
/// fails if a step does not fit.
FailureOr<SmallVector<int64_t>> inferShape(ArrayAttr path, ArrayRef<int64_t> shape,
                                           function_ref<InFlightDiagnostic()> emitError);
/// Returns the type of the view of `type` along `path`, which must fit it.
RankedTensorType inferType(const Path &path, RankedTensorType type);
/// Returns the sizes of the view along `path` of a base of sizes `sizes`.
SmallVector<OpFoldResult> reifyShape(const Path &path, ArrayRef<OpFoldResult> sizes);

/// Returns whether different elements of the view are different elements of the base.
bool isInjective(const Path &path);
/// Returns whether each element of the base is in the view.
bool coversBase(const Path &path);

/// Converts a size or an integer of a step to an affine expression.
using ExprFn = function_ref<AffineExpr(OpFoldResult)>;

/// Returns the index in the base of the element that the view has at `point`. The base has the
/// sizes `sizes`.
SmallVector<AffineExpr> mapOut(const Path &path, ArrayRef<AffineExpr> point,
                               ArrayRef<OpFoldResult> sizes, MLIRContext *context, ExprFn toExpr);
/// Returns the index in the view of the element that the base has at `point`, with the constraints
/// under which the element is in the view. Returns nothing if the view may have the element at
/// several indexes.
std::optional<InverseMap> mapIn(const Path &path, ArrayRef<AffineExpr> point,
                                ArrayRef<OpFoldResult> sizes, MLIRContext *context, ExprFn toExpr);

/// Returns `path` followed by `next`, with steps composed where possible. May build index
/// arithmetic.
Path concat(OpBuilder &builder, Location loc, const Path &path, const Path &next);

/// Applies steps of `path`, from the first on, to a base of `sizes`, as long as the result is a
/// box. Returns the last box. Sets `isWhole` to whether all steps were applied.
Box getBox(const Path &path, ArrayRef<OpFoldResult> sizes, bool &isWhole);

/// Relates the views that two paths select of one base of sizes `sizes`. The result is `Contains`
/// if the view along `left` has all elements of the view along `right`.
Relation relate(const Path &left, const Path &right, ArrayRef<OpFoldResult> sizes);

/// Returns whether two ranges of one dim have no element in common.
bool areDisjoint(const Box::Range &left, const Box::Range &right);

/// Writes `path` as text, such as "[select(0, ?)]".
void writePath(raw_ostream &stream, ArrayAttr path);

} // namespace mlir::tssa::refs

#endif // DIALECTS_TSSA_IR_VIEWPATH_H
