//===- PointOps.h - ops of a te body and their index expressions -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `te.read`, `te.index` and `te.inside`, the *point ops*, refer to the point of the enclosing
/// iteration domain by position: dim `d_i` of their maps is dim i of the enclosing op. To move a
/// body to another domain, its maps are composed with a map between the domains; the functions here
/// do this for a whole body. Evaluating the cloned body at point p gives the value of the original
/// body at map(p).
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_IR_POINTOPS_H
#define DIALECTS_TE_IR_POINTOPS_H

#include "dialects/te/IR/TEOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::tssa::te {

/// The greatest number of dims and of symbols in an index expression. The textual form has names
/// for this many.
constexpr unsigned maxDims = 64, maxSymbols = 256;

/// A map from points of a new domain to points of an old one: for each dim of the old domain, an
/// expression over the dims of the new domain and over symbols.
struct PointMap {
  AffineMap map;
  SmallVector<Value> symbols;
};

/// Returns whether `op` is te.read, te.index or te.inside.
bool isPointOp(Operation *op);

/// Returns whether an index of `read` is computed in the block of `read` and so depends on data.
bool hasOpaqueIndex(ReadOp read);

/// Substitutes `point` into `map`, a map over the old dims and `symbols`. Returns a map over the
/// new dims. Appends the symbol operands of this map to `newSymbols` without duplicates: first the
/// values of `symbols`, mapped by `mapping`, and then the symbols of `point`.
AffineMap composeMap(AffineMap map, ValueRange symbols, const PointMap &point,
                     const IRMapping &mapping, SmallVectorImpl<Value> &newSymbols);

/// Does the same as composeMap for a set.
IntegerSet composeSet(IntegerSet set, ValueRange symbols, const PointMap &point,
                      const IRMapping &mapping, SmallVectorImpl<Value> &newSymbols);

/// Clones an op of a body with `point` substituted and its operands mapped. Adds its results to
/// `mapping`.
Operation *clonePointwise(OpBuilder &builder, Operation *op, const PointMap &point,
                          IRMapping &mapping);

/// Clones all ops of `body` except the terminator. Returns the values to yield. `mapping` must
/// already map the block's arguments.
SmallVector<Value> cloneBody(OpBuilder &builder, Block &body, const PointMap &point,
                             IRMapping &mapping);

/// The `where` sets of a te.compute while they are built: sets over the dims of one domain, and one
/// list of symbols for all of them.
class PieceSets {
public:
  /// Adds `set`, a set over the dims and `values`.
  void add(IntegerSet set, ValueRange values);
  ArrayRef<Value> getSymbols() const { return symbols; }
  ArrayAttr get(MLIRContext *context) const;

private:
  SmallVector<IntegerSet> sets;
  SmallVector<Value> symbols;
};

/// Returns the identity map on `numDims` dims.
PointMap identityPoint(MLIRContext *context, unsigned numDims);

/// Returns whether `lhs` in one body and `rhs` in another are equal at each point: they are
/// computed by equal ops from equal constants and elements.
bool areEqualAtPoint(Value lhs, Value rhs);

/// Widens the maps and sets of all point ops in `body` to at least `numDims` dims. The expressions
/// themselves do not change, and neither do the bodies of expressions nested in `body`.
void setNumDims(Region &body, unsigned numDims);

/// Adds to `ops` the point ops in `body` that `value` is computed from.
void collectPointOps(Value value, Block *body, llvm::SetVector<Operation *> &ops);

/// Returns whether a te.read in `body` that `value` is computed from has an opaque index.
bool hasOpaqueRead(Value value, Block *body);

/// Returns the dims in the maps and sets of the point ops in `body` that `value` is computed from.
llvm::SetVector<unsigned> collectDims(Value value, Block *body);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_IR_POINTOPS_H
