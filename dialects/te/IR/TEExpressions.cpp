//===- TEExpressions.cpp - te.compute, te.update and te.scan as expressions -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/IR/Expression.h"
#include "dialects/te/IR/Sizes.h"
#include "dialects/te/IR/TEOps.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

#include "dialects/te/IR/TEInterfaces.cpp.inc"

/// Returns which results of `map` use a symbol for which `isData` holds.
static llvm::SmallBitVector findOpaque(AffineMap map, function_ref<bool(unsigned)> isData) {
  llvm::SmallBitVector opaque(map.getNumResults());
  for (auto [dim, expr] : llvm::enumerate(map.getResults()))
    for (unsigned symbol = 0; symbol < map.getNumSymbols(); ++symbol)
      if (expr.isFunctionOfSymbol(symbol) && isData(symbol))
        opaque.set(dim);
  return opaque;
}

static TensorAccess getAccess(ReadOp read, const ExpressionBody &body) {
  SmallVector<Value> symbols(read.getSymbols());
  llvm::SmallBitVector opaque = findOpaque(read.getMap(), [&](unsigned symbol) {
    return body.region->isAncestor(symbols[symbol].getParentRegion());
  });
  return {
      read,  read.getSource(), read.getMap(), symbols, read.getGuard().value_or(IntegerSet()), body,
      opaque};
}

SmallVector<TensorAccess> te::collectReadAccesses(Operation *expression) {
  SmallVector<TensorAccess> reads;
  for (const ExpressionBody &body : cast<ExpressionOpInterface>(expression).getBodies())
    for (ReadOp read : body.region->getOps<ReadOp>()) // not those of nested expressions
      reads.push_back(getAccess(read, body));
  return reads;
}

ExpressionBody te::getBodyAround(Operation *op) {
  for (const ExpressionBody &body : cast<ExpressionOpInterface>(op->getParentOp()).getBodies())
    if (body.region == op->getParentRegion())
      return body;
  llvm_unreachable("expected an op of a body");
}

/// Returns the access to the element of `tensor` whose indexes are the dims of the point.
static TensorAccess getIdentityAccess(Operation *op, Value tensor, unsigned numDims) {
  return {op,
          tensor,
          AffineMap::getMultiDimIdentityMap(numDims, op->getContext()),
          {},
          {},
          {nullptr, numDims, {}},
          llvm::SmallBitVector(numDims)};
}

//===----------------------------------------------------------------------===//
// compute
//===----------------------------------------------------------------------===//

SmallVector<OpFoldResult> ComputeOp::getIterationDomain() {
  return mixSizes(getContext(), getStaticSizes(), getDynamicSizes());
}

DimKind ComputeOp::getDimKind(unsigned dim) {
  return dim < getNumParallel() ? DimKind::Parallel : DimKind::Reduction;
}

SmallVector<ExpressionBody> ComputeOp::getBodies() {
  SmallVector<ExpressionBody> bodies;
  for (auto [number, piece] : llvm::enumerate(getPieces()))
    bodies.push_back({&piece, getNumDims(), getPieceSet(number), getSymbols()});
  if (hasEpilogue())
    bodies.push_back({&getEpilogue(), static_cast<unsigned>(getNumParallel()), {}});
  return bodies;
}

SmallVector<TensorAccess> ComputeOp::getWrites() {
  return llvm::map_to_vector(getResults(), [&](Value result) {
    return getIdentityAccess(*this, result, getNumParallel());
  });
}

OpFoldResult ComputeOp::findResultSize(unsigned dim) { return getIterationDomain()[dim]; }

LogicalResult ComputeOp::reifyResultShapes(OpBuilder &, ReifiedRankedShapedTypeDims &shapes) {
  shapes.assign(getNumResults(), getParallelSizes());
  return success();
}

//===----------------------------------------------------------------------===//
// update
//===----------------------------------------------------------------------===//

SmallVector<OpFoldResult> UpdateOp::getIterationDomain() {
  return mixSizes(getContext(), getStaticSizes(), getDynamicSizes());
}

DimKind UpdateOp::getDimKind(unsigned) {
  return getInjective() ? DimKind::Parallel : DimKind::Sequential;
}

SmallVector<ExpressionBody> UpdateOp::getBodies() { return {{&getBody(), getNumDims(), {}}}; }

SmallVector<TensorAccess> UpdateOp::getWrites() {
  SmallVector<Value> symbols(getSymbols());
  llvm::append_range(symbols, getBody().front().getTerminator()->getOperands().drop_front());
  size_t numOuter = getSymbols().size();
  llvm::SmallBitVector opaque =
      findOpaque(getMap(), [&](unsigned symbol) { return symbol >= numOuter; });
  return {{*this,
           getResult(),
           getMap(),
           symbols,
           getGuard().value_or(IntegerSet()),
           {&getBody(), getNumDims(), {}},
           opaque}};
}

OpFoldResult UpdateOp::findResultSize(unsigned dim) { return findSize(getBase(), dim); }

LogicalResult UpdateOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(getSizes(builder, getLoc(), getBase()));
  return success();
}

//===----------------------------------------------------------------------===//
// scan
//===----------------------------------------------------------------------===//

SmallVector<OpFoldResult> ScanOp::getIterationDomain() {
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim = 0; dim < getSource().getType().getRank(); ++dim)
    sizes.push_back(findSize(getSource(), dim));
  return sizes;
}

DimKind ScanOp::getDimKind(unsigned dim) {
  return dim == getAxis() ? DimKind::Sequential : DimKind::Parallel;
}

SmallVector<ExpressionBody> ScanOp::getBodies() { return {}; }

SmallVector<TensorAccess> ScanOp::getReads() {
  return {getIdentityAccess(*this, getSource(), getSource().getType().getRank())};
}

SmallVector<TensorAccess> ScanOp::getWrites() {
  return {getIdentityAccess(*this, getResult(), getSource().getType().getRank())};
}

OpFoldResult ScanOp::findResultSize(unsigned dim) { return findSize(getSource(), dim); }

LogicalResult ScanOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(getSizes(builder, getLoc(), getSource()));
  return success();
}
