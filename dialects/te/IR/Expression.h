//===- Expression.h - iteration domains, bodies and accesses ----------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The interface of tensor expressions (TEInterfaces.td) and the types that its methods return.
///
/// | op         | dims of the domain               | bodies            | writes            |
/// |------------|----------------------------------|-------------------|-------------------|
/// | te.compute | parallel, then reduction         | pieces, epilogue  | its parallel dims |
/// | te.update  | sequential; parallel if injective| its body          | its map           |
/// | te.scan    | parallel, but the axis sequential| none              | its dims          |
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_IR_EXPRESSION_H
#define DIALECTS_TE_IR_EXPRESSION_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/IntegerSet.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/SmallBitVector.h"

namespace mlir::tssa::te {

/// The order in which the points along a dim of an iteration domain may run.
enum class DimKind {
  Parallel,   ///< In any order, or at the same time.
  Reduction,  ///< In any order; the combiner combines their values.
  Sequential, ///< In ascending order: a point may depend on earlier points.
};

/// A region of an expression that runs once at each point of a box.
struct ExpressionBody {
  Region *region = nullptr;
  unsigned numDims = 0; ///< The box has this many leading dims of the iteration domain.
  IntegerSet where;     ///< The points at which the region runs; null for all points of the box.
  SmallVector<Value> symbols = {}; ///< The symbols of `where`.
};

/// The element of a tensor that an expression reads or writes at a point.
struct TensorAccess {
  Operation *op = nullptr; ///< The te.read, or the expression itself.
  Value tensor;            ///< The tensor that is read, or the result that is written.
  AffineMap map;           ///< The index in each dim of the tensor, over dims and symbols.
  SmallVector<Value> symbols;
  /// The access happens where this set over the dims and symbols holds, or always if it is null.
  IntegerSet guard;
  ExpressionBody point;        ///< The points of the access.
  llvm::SmallBitVector opaque; ///< For each dim of the tensor: whether data decides the index.
};

/// Returns the reads of the bodies of `expression`, in order.
SmallVector<TensorAccess> collectReadAccesses(Operation *expression);

} // namespace mlir::tssa::te

#include "dialects/te/IR/TEInterfaces.h.inc"

namespace mlir::tssa::te {

/// Returns the body that directly contains `op`. The parent of `op` must be an expression.
ExpressionBody getBodyAround(Operation *op);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_IR_EXPRESSION_H
