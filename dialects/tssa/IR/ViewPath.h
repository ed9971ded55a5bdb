//===- ViewPath.h - paths of view steps -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A path says which elements of a base a view has, as a list of steps from the base
/// to the view. What stands for a `?` of a step is bound to it here.
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

/// A step with all its integers: an IndexAttr or a value of type index each.
struct BoundStep {
  Attribute step;
  SmallVector<OpFoldResult> integers;

  ViewStep getStep() const;
  bool operator==(const BoundStep &other) const;
};

using Path = SmallVector<BoundStep>;

/// Which element of a view an element of its base is.
struct InverseMap {
  SmallVector<AffineExpr> point;
  /// The element is one of the view where these are all zero (`isEquality`) or not
  /// negative.
  SmallVector<AffineExpr> constraints;
  SmallVector<bool> isEquality;
};

/// A window that takes of every dim of the base some elements at equal distances.
struct Box {
  struct Side {
    Linear start, size;
    int64_t step = 1;
  };
  /// One per dim of the base.
  SmallVector<Side> sides;
  /// For every dim of the view its dim of the base, -1 for one of size 1 that is new.
  SmallVector<int> dims;

  /// All of a base of these sizes.
  static Box whole(ArrayRef<OpFoldResult> sizes);
};

enum class Relation { Equal, Disjoint, Contains, Unknown };

/// The steps of `path`, an array of steps, with `operands` for their `?`.
Path bindPath(ArrayAttr path, ValueRange operands);
/// The inverse.
ArrayAttr splitPath(MLIRContext *context, const Path &path, SmallVectorImpl<Value> &operands);
/// Number of `?` in `path`.
unsigned countDynamic(ArrayAttr path);

/// The shape of the view of a tensor of shape `shape`; fails with an error.
FailureOr<SmallVector<int64_t>> inferShape(ArrayAttr path, ArrayRef<int64_t> shape,
                                           function_ref<InFlightDiagnostic()> emitError);
/// The type of the view of `type` along a path that fits it.
RankedTensorType inferType(const Path &path, RankedTensorType type);
/// The sizes of the view of a base of sizes `sizes`.
SmallVector<OpFoldResult> reifyShape(const Path &path, ArrayRef<OpFoldResult> sizes);

bool isInjective(const Path &path);
bool coversBase(const Path &path);

/// Gives sizes and integers as affine expressions.
using ExprFn = function_ref<AffineExpr(OpFoldResult)>;

/// Where in the base, of sizes `sizes`, the element at `point` of the view lies.
SmallVector<AffineExpr> mapOut(const Path &path, ArrayRef<AffineExpr> point,
                               ArrayRef<OpFoldResult> sizes, MLIRContext *context, ExprFn toExpr);
/// Which element of the view the element at `point` of the base is. Nothing when
/// there may be several.
std::optional<InverseMap> mapIn(const Path &path, ArrayRef<AffineExpr> point,
                                ArrayRef<OpFoldResult> sizes, MLIRContext *context, ExprFn toExpr);

/// `path` and then `next`, in as few steps as are known to do; may build index
/// arithmetic.
Path concat(OpBuilder &builder, Location loc, const Path &path, const Path &next);

/// The box that the longest possible part of `path` is, from the base on; `isWhole`
/// says whether that is all of it.
Box getBox(const Path &path, ArrayRef<OpFoldResult> sizes, bool &isWhole);

/// What the windows of two paths on one base of sizes `sizes` are to each other:
/// Contains when that of `left` has all elements of that of `right`.
Relation relate(const Path &left, const Path &right, ArrayRef<OpFoldResult> sizes);

/// Whether two sides have no element in common.
bool areDisjoint(const Box::Side &left, const Box::Side &right);

/// "[select(0, ?)]".
void writePath(raw_ostream &stream, ArrayAttr path);

} // namespace mlir::tssa::refs

#endif // DIALECTS_TSSA_IR_VIEWPATH_H
