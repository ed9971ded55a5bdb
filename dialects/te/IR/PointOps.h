//===- PointOps.h - ops of a te body and their index expressions -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `te.read`, `te.index` and `te.inside` speak of the point of the enclosing
/// domain by position: dim `d_i` of their maps is dim i of the enclosing op.
/// Substituting the point is therefore a composition of maps; these helpers do it
/// for a whole body. Law: evaluating a cloned body at point p gives what the
/// original gives at map(p).
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_IR_POINTOPS_H
#define DIALECTS_TE_IR_POINTOPS_H

#include "dialects/te/IR/TEOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::tssa::te {

/// Most dims and symbols of index expressions: text has names for as many.
constexpr unsigned maxDims = 64, maxSymbols = 256;

/// A point of one domain in terms of another: one expression per dim of the old
/// domain, over the dims of the new one and symbols.
struct PointMap {
  AffineMap map;
  SmallVector<Value> symbols;
};

/// Whether `op` is te.read, te.index or te.inside.
bool isPointOp(Operation *op);

/// Whether an index of `read` is computed by the block that it stands in, hence from data.
bool hasOpaqueIndex(ReadOp read);

/// Substitutes `point` into a map over the old dims with `symbols`: the result is
/// over the new dims, and `newSymbols` gets its symbol operands (those of `symbols`
/// through `mapping`, then those of the point, duplicates joined).
AffineMap composeMap(AffineMap map, ValueRange symbols, const PointMap &point,
                     const IRMapping &mapping, SmallVectorImpl<Value> &newSymbols);

/// The same for a set.
IntegerSet composeSet(IntegerSet set, ValueRange symbols, const PointMap &point,
                      const IRMapping &mapping, SmallVectorImpl<Value> &newSymbols);

/// Clones one op of a body at the builder with the point substituted and operands
/// mapped; fills `mapping` for its results.
Operation *clonePointwise(OpBuilder &builder, Operation *op, const PointMap &point,
                          IRMapping &mapping);

/// Clones the body (all but its terminator) and returns the yielded values.
/// Block arguments must be in `mapping` beforehand.
SmallVector<Value> cloneBody(OpBuilder &builder, Block &body, const PointMap &point,
                             IRMapping &mapping);

/// The identity on `numDims` dims.
PointMap identityPoint(MLIRContext *context, unsigned numDims);

/// Makes every point op below `body` speak of at least `numDims` dims: a map or set
/// with fewer is widened. Expressions are untouched, and so are bodies of expressions inside
/// of `body`.
void setNumDims(Region &body, unsigned numDims);

/// The point ops of `body` that `value` is computed from.
void collectPointOps(Value value, Block *body, llvm::SetVector<Operation *> &ops);

/// The dims in the maps and sets of those.
llvm::SetVector<unsigned> collectDims(Value value, Block *body);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_IR_POINTOPS_H
