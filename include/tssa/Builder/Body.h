//===- Body.h - what an element is, as scalar code -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A Body is handed to the function that writes the code of a `te` body: one point
/// of the domain. Dims of the domain are `dim(0)`, `dim(1)`, ...: parallel ones,
/// then reduction ones.
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

/// Expressions that must all be >= 0 for the point to count.
using Guard = llvm::ArrayRef<mlir::AffineExpr>;

class Body {
public:
  Body(Builder &builder, mlir::OpBuilder &ops, mlir::Location loc)
      : builder(builder), ops(ops), loc(loc) {}

  Builder &builder;
  mlir::OpBuilder &ops; ///< inserts into the body
  mlir::Location loc;

  mlir::AffineExpr dim(unsigned index);
  /// dim(begin) ... dim(end - 1).
  llvm::SmallVector<mlir::AffineExpr> dims(unsigned begin, unsigned end);
  mlir::AffineExpr constantExpr(int64_t value);
  /// A size in an index expression: a constant or a symbol.
  mlir::AffineExpr size(const Size &size);
  /// An index computed in this body (opaque: checked when the program runs).
  mlir::AffineExpr opaque(mlir::Value index);

  /// The element of `tensor` at `at`, one expression per dim.
  mlir::Value read(const Tensor &tensor, llvm::ArrayRef<mlir::AffineExpr> at);
  /// The same where `guard` holds, else `pad`.
  mlir::Value read(const Tensor &tensor, llvm::ArrayRef<mlir::AffineExpr> at, Guard guard,
                   mlir::TypedAttr pad);
  /// The element of `tensor`, of rank <= rank of `shape`, that numpy's broadcasting to
  /// `shape` puts at the point `at`.
  mlir::Value readBroadcast(const Tensor &tensor, llvm::ArrayRef<Size> shape,
                            llvm::ArrayRef<mlir::AffineExpr> at);
  /// The value of an expression, of type index.
  mlir::Value index(mlir::AffineExpr expr);
  /// Whether all of `guard` is >= 0, of type i1.
  mlir::Value inside(Guard guard);

  mlir::Value constant(DType type, double value);
  mlir::Value constant(DType type, int64_t value);
  /// Converts a scalar as the Cast operator does.
  mlir::Value cast(mlir::Value value, DType from, DType to);
  /// An integer scalar as an index.
  mlir::Value toIndex(mlir::Value value, DType from);
  mlir::Value fromIndex(mlir::Value value, DType to);

  /// The set of all `guard` expressions; fills the operands of its symbols.
  mlir::IntegerSet makeSet(Guard guard, llvm::SmallVectorImpl<mlir::Value> &operands);
  mlir::AffineMap makeMap(llvm::ArrayRef<mlir::AffineExpr> exprs,
                          llvm::SmallVectorImpl<mlir::Value> &operands);

  /// What te.update needs to write at `target` where `guard` holds: symbols from
  /// outside of the body come first, then the opaque ones.
  void makeWrite(llvm::ArrayRef<mlir::AffineExpr> target, Guard guard, mlir::AffineMap &map,
                 mlir::IntegerSet &set, llvm::SmallVectorImpl<mlir::Value> &outside,
                 llvm::SmallVectorImpl<mlir::Value> &opaque);

private:
  mlir::AffineExpr symbol(mlir::Value value);
  llvm::SmallVector<mlir::Value> symbols;
};

} // namespace tssa::operators

#endif // TSSA_BUILDER_BODY_H
