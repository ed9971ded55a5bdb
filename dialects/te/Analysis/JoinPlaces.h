//===- JoinPlaces.h - where the parts of joined tensors lie -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A launch that only concatenates tensors copies every element once more. It is not needed if the
/// launches that compute these tensors write them where the concatenation has them, and the
/// launches that read them read them there. A tensor then has a *place* in a larger tensor, and the
/// kernels of these launches have a `te.window`. A concatenation that is a part of a larger one has
/// a place there too, and so do all its parts.
///
/// A tensor can have one place only. Large concatenations therefore come first; a smaller one, such
/// as that of the first layers of a dense block, needs no memory of its own if its parts already
/// lie side by side.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_ANALYSIS_JOINPLACES_H
#define DIALECTS_TE_ANALYSIS_JOINPLACES_H

#include "dialects/te/IR/TEOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::tssa::te {

/// Where a tensor lies: in `whole`, beginning at the indexes `at`.
struct TensorPlace {
  Value whole;
  SmallVector<int64_t> at;
};

/// A concatenation along `axis`.
struct TensorJoin {
  Value result;
  SmallVector<Value> parts;
  unsigned axis;

  Block *getBlock() const { return Value(result).getParentBlock(); }
};

/// Finds the kernel of a launch; returns null if it is not known.
using KernelLookup = function_ref<KernelOp(LaunchOp)>;

/// Returns `joins` in another order: those with the most elements come first.
SmallVector<TensorJoin> sortJoins(ArrayRef<TensorJoin> joins);

/// The places of tensors.
class JoinPlaces {
public:
  /// Returns the places of all parts of the te.joins of `function`. If a part cannot have a place,
  /// emits an error and fails.
  static FailureOr<JoinPlaces> get(func::FuncOp function, KernelLookup lookup);

  /// Gives the parts of `join` places in its result, or the result a place where its parts already
  /// lie side by side. Returns why this is not possible, or an empty string.
  StringRef add(const TensorJoin &join, KernelLookup lookup);

  /// Returns the place of `value`, which is `value` itself if it lies in no other tensor.
  TensorPlace getPlace(Value value) const;
  /// Returns the tensor in whose memory `value` lies, which may be `value` itself.
  Value getWhole(Value value) const { return getPlace(value).whole; }
  /// Returns the window that kernels need for `value`, or null if it lies in no other tensor.
  WindowAttr getWindow(Value value) const;

private:
  llvm::MapVector<Value, TensorPlace> places;

  StringRef addSideBySide(const TensorJoin &join, KernelLookup lookup);
};

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_ANALYSIS_JOINPLACES_H
