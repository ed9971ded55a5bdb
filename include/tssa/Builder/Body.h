//===- Body.h - builds the bodies of te ops -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A function that builds the body of a te op gets a Body as its argument. The body of the op
/// computes one point of the iteration domain. The dims of the domain are `dim(0)`, `dim(1)` and so
/// on: first the parallel dims, then the reduction dims.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_BUILDER_BODY_H
#define TSSA_BUILDER_BODY_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IntegerSet.h"
#include "tssa/Builder/Tensor.h"

namespace tssa::operators {

class Builder;

/// A condition on the points of a domain: it holds at a point if all these expressions are >= 0
/// there.
using Guard = llvm::ArrayRef<mlir::AffineExpr>;

class Body {
public:
  Body(Builder &builder, mlir::OpBuilder &ops, mlir::Location loc)
      : builder(builder), ops(ops), loc(loc) {}

  Builder &builder;
  mlir::OpBuilder &ops; ///< inserts into the body
  mlir::Location loc;

  mlir::AffineExpr dim(unsigned index);
  /// Returns dim(begin) ... dim(end - 1).
  llvm::SmallVector<mlir::AffineExpr> dims(unsigned begin, unsigned end);
  mlir::AffineExpr constantExpr(int64_t value);
  /// Returns `size` as an index expression of constants and symbols.
  mlir::AffineExpr size(const Size &size);
  /// Returns an expression for the opaque index `index`, a value that this body computes. A run
  /// checks the index against its bounds.
  mlir::AffineExpr opaque(mlir::Value index);

  /// Reads the element of `tensor` at the index `at`, which has one expression per dim.
  mlir::Value read(const Tensor &tensor, llvm::ArrayRef<mlir::AffineExpr> at);
  /// Reads the element of `tensor` at `at` if `guard` holds, else yields `pad`.
  mlir::Value read(const Tensor &tensor, llvm::ArrayRef<mlir::AffineExpr> at, Guard guard,
                   mlir::TypedAttr pad);
  /// Reads the element at `at` as if `tensor` were broadcast to `shape` by numpy's rules. The rank
  /// of `tensor` is at most that of `shape`.
  mlir::Value readBroadcast(const Tensor &tensor, llvm::ArrayRef<Size> shape,
                            llvm::ArrayRef<mlir::AffineExpr> at);
  /// Returns `expr` as an SSA value of type index.
  mlir::Value index(mlir::AffineExpr expr);
  /// Returns whether `guard` holds, as an i1.
  mlir::Value inside(Guard guard);

  mlir::Value constant(DType type, double value);
  mlir::Value constant(DType type, int64_t value);
  /// Converts a scalar as ONNX's Cast operator does.
  mlir::Value cast(mlir::Value value, DType from, DType to);
  /// Converts an integer scalar to an index.
  mlir::Value toIndex(mlir::Value value, DType from);
  mlir::Value fromIndex(mlir::Value value, DType to);

  /// Returns the set of points at which `guard` holds. Appends the symbol operands of the set to
  /// `operands`.
  mlir::IntegerSet makeSet(Guard guard, llvm::SmallVectorImpl<mlir::Value> &operands);
  mlir::AffineMap makeMap(llvm::ArrayRef<mlir::AffineExpr> exprs,
                          llvm::SmallVectorImpl<mlir::Value> &operands);

  /// Fills in the attributes and operands of a te.update that writes at `target` if `guard` holds.
  /// Adds the values from outside of the body to `outside`, and the opaque indexes to `opaque`.
  /// These values are the symbols of `map`, in this order. The symbols of `set` are only those in
  /// `outside`.
  void makeWrite(llvm::ArrayRef<mlir::AffineExpr> target, Guard guard, mlir::AffineMap &map,
                 mlir::IntegerSet &set, llvm::SmallVectorImpl<mlir::Value> &outside,
                 llvm::SmallVectorImpl<mlir::Value> &opaque);

private:
  mlir::AffineExpr symbol(mlir::Value value);
  llvm::SmallVector<mlir::Value> symbols;
};

} // namespace tssa::operators

#endif // TSSA_BUILDER_BODY_H
