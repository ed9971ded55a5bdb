//===- SkewResults.cpp - the results of layers -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Transforms/SkewResults.h"
#include "dialects/te/IR/Builders.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

using IndexFn = function_ref<SmallVector<AffineExpr>(ArrayRef<AffineExpr>)>;

/// Returns the sizes of a result of `layer`: constants, or sizes of its cell or its loop.
static SmallVector<OpFoldResult> getSizesOf(SkewLayer &layer, OpResult result) {
  if (!layer.update || result.getResultNumber() != layer.output)
    return layer.cell.getParallelSizes();
  SmallVector<OpFoldResult> sizes, ofCell = layer.update.getIterationDomain();
  auto type = cast<RankedTensorType>(result.getType());
  for (auto [axis, expr] : llvm::enumerate(layer.update.getMap().getResults())) {
    auto own = dyn_cast<AffineDimExpr>(expr);
    if (!type.isDynamicDim(axis))
      sizes.push_back(Builder(type.getContext()).getIndexAttr(type.getDimSize(axis)));
    else
      sizes.push_back(own ? ofCell[own.getPosition()] : OpFoldResult(layer.loop.getUpperBound()));
  }
  return sizes;
}

/// Makes what uses `result` of `layer` use `all`, at the indexes that `getIndexes` returns for
/// those of the result.
static void replaceResult(RewriterBase &rewriter, SkewLayer &layer, OpResult result, Value all,
                          IndexFn getIndexes) {
  MLIRContext *context = rewriter.getContext();
  for (Operation *user : llvm::make_early_inc_range(result.getUsers())) {
    auto read = dyn_cast<ReadOp>(user);
    if (!read)
      continue;
    AffineMap map = read.getMap();
    rewriter.modifyOpInPlace(read, [&] {
      read.getSourceMutable().assign(all);
      read.setMap(AffineMap::get(map.getNumDims(), map.getNumSymbols(),
                                 getIndexes(map.getResults()), context));
    });
  }
  if (result.use_empty())
    return;
  SmallVector<OpFoldResult> sizes = getSizesOf(layer, result);
  auto identity = AffineMap::getMultiDimIdentityMap(sizes.size(), context);
  auto map = AffineMap::get(sizes.size(), 0, getIndexes(identity.getResults()), context);
  auto copy =
      buildCompute(rewriter, layer.loop.getLoc(), sizes, getElementTypeOrSelf(result.getType()),
                   [&](OpBuilder &b, Location l) -> SmallVector<Value> {
                     return {ReadOp::create(b, l, all, map)};
                   });
  rewriter.replaceAllUsesWith(result, copy.getResult(0));
}

/// Returns where the output of `layer`, which is layer `i`, at `indexes` is among all outputs.
static SmallVector<AffineExpr> getOutput(SkewLayer &layer, unsigned i,
                                         ArrayRef<AffineExpr> indexes) {
  SmallVector<AffineExpr> all{layer.getStepOf(indexes[layer.getTimeAxis()]) + i,
                              getAffineConstantExpr(i, indexes.front().getContext())};
  llvm::append_range(all, layer.getWritten(indexes));
  return all;
}

void te::replaceResults(RewriterBase &rewriter, MutableArrayRef<SkewLayer> layers,
                        scf::ForOp loop) {
  rewriter.setInsertionPointAfter(loop);
  for (auto [i, layer] : llvm::enumerate(layers)) {
    if (isKept(layers, i))
      replaceResult(rewriter, layer, layer.loop->getResult(layer.output), loop.getResults().back(),
                    [&, i = i, &layer = layer](ArrayRef<AffineExpr> indexes) {
                      return getOutput(layer, i, indexes);
                    });
    for (auto [result, carried] : llvm::enumerate(layer.state))
      if (carried != SkewLayer::notCarried)
        replaceResult(
            rewriter, layer, layer.loop->getResult(carried),
            loop.getResult(layer.getStacked(result)), [&, i = i](ArrayRef<AffineExpr> indexes) {
              SmallVector<AffineExpr> all{getAffineConstantExpr(i, rewriter.getContext())};
              llvm::append_range(all, indexes);
              return all;
            });
  }
}
