//===- Dependence.cpp - which elements an element relies on -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Analysis/Dependence.h"
#include "dialects/te/IR/PointOps.h"
#include "dialects/te/IR/Sizes.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

/// Returns the dims that the index of `access` depends on, also through data.
static llvm::SmallBitVector getIndexDims(const TensorAccess &access, unsigned numDims) {
  llvm::SmallBitVector dims(numDims);
  for (unsigned dim = 0; dim < access.map.getNumDims(); ++dim)
    if (access.map.isFunctionOfDim(dim))
      dims.set(dim);
  for (unsigned symbol = 0; symbol < access.symbols.size(); ++symbol) {
    Region *body = access.point.region;
    Value value = access.symbols[symbol];
    if (!body || !body->isAncestor(value.getParentRegion()) ||
        !access.map.isFunctionOfSymbol(symbol))
      continue;
    for (unsigned dim : collectDims(value, &body->front()))
      dims.set(dim);
  }
  return dims;
}

/// Returns the dims that are themselves an index of the element of the results.
static llvm::SmallBitVector getFixedDims(AffineMap result, unsigned numDims) {
  llvm::SmallBitVector fixed(numDims);
  for (AffineExpr expr : result.getResults())
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      fixed.set(dim.getPosition());
  return fixed;
}

static bool isOne(OpFoldResult size) { return size && getConstantSize(size) == 1; }

static ElementDependence getDependence(const TensorAccess &read, const TensorAccess &write,
                                       ArrayRef<OpFoldResult> sizes, bool combines) {
  ElementDependence dependence;
  dependence.tensor = read.tensor;
  dependence.sizes.assign(sizes.begin(), sizes.end());
  dependence.result = write.map;
  dependence.resultSymbols = write.symbols;
  dependence.resultOpaque = write.opaque;
  dependence.source = read.map;
  dependence.symbols = read.symbols;
  dependence.opaque = read.opaque;
  dependence.piece = read.point.where;
  dependence.pieceSymbols = read.point.symbols;
  dependence.guard = read.guard;
  llvm::SmallBitVector used = getIndexDims(read, sizes.size());
  llvm::SmallBitVector fixed = getFixedDims(write.map, sizes.size());
  bool hasMany = write.opaque.any(); // Points that data send to one element are combined there.
  for (unsigned dim = 0; dim < sizes.size(); ++dim)
    if (used[dim] && !fixed[dim]) {
      dependence.ranged.push_back(dim);
      hasMany |= !isOne(sizes[dim]);
    }
  dependence.isMany = combines && hasMany;
  return dependence;
}

/// Returns the dependence of each element of a result on the same element of `tensor`.
static ElementDependence getIdentity(Value tensor, ArrayRef<OpFoldResult> sizes) {
  ElementDependence dependence;
  unsigned rank = cast<RankedTensorType>(tensor.getType()).getRank();
  dependence.tensor = tensor;
  dependence.sizes.assign(sizes.begin(), sizes.end());
  dependence.result = dependence.source =
      AffineMap::getMultiDimIdentityMap(rank, tensor.getContext());
  dependence.resultOpaque.resize(rank);
  dependence.opaque.resize(rank);
  return dependence;
}

/// The last dim of the relation is the index along the axis of the source.
static ElementDependence getDependence(ScanOp scan) {
  SmallVector<OpFoldResult> sizes = scan.getIterationDomain();
  ElementDependence dependence = getIdentity(scan.getSource(), sizes);
  unsigned rank = sizes.size(), axis = scan.getAxis();
  dependence.isMany = !isOne(sizes[axis]);
  dependence.sizes.push_back(sizes[axis]);
  SmallVector<AffineExpr> indexes(dependence.source.getResults());
  AffineExpr step = getAffineDimExpr(rank, scan.getContext());
  AffineExpr distance = scan.getReverse() ? step - indexes[axis] : indexes[axis] - step;
  if (scan.getExclusive())
    distance = distance - 1;
  dependence.guard = IntegerSet::get(rank + 1, 0, {distance}, {false});
  indexes[axis] = step;
  dependence.source = AffineMap::get(rank + 1, 0, indexes, scan.getContext());
  dependence.ranged.push_back(rank);
  return dependence;
}

SmallVector<ElementDependence, 0> te::getDependences(ExpressionOpInterface expression) {
  if (auto scan = dyn_cast<ScanOp>(*expression))
    return {getDependence(scan)};
  SmallVector<ElementDependence, 0> dependences;
  SmallVector<OpFoldResult> domain = expression.getIterationDomain();
  bool combines = !expression.getCombiner().empty();
  if (auto update = dyn_cast<UpdateOp>(*expression)) {
    SmallVector<OpFoldResult> sizes;
    for (int64_t dim = 0; dim < update.getBase().getType().getRank(); ++dim)
      sizes.push_back(expression.findResultSize(dim));
    dependences.push_back(getIdentity(update.getBase(), sizes));
    combines &= !update.getInjective();
  }
  TensorAccess write = expression.getWrites().front();
  for (const TensorAccess &read : expression.getReads())
    dependences.push_back(
        getDependence(read, write, ArrayRef(domain).take_front(read.point.numDims), combines));
  return dependences;
}
