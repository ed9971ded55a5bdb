//===- StoreWindow.cpp - windows of expressions as expressions of their own ===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Transforms/StoreWindow.h"
#include "dialects/te/Analysis/PieceBounds.h"
#include "dialects/te/Analysis/UpdateTarget.h"
#include "dialects/te/IR/Builders.h"
#include "dialects/te/IR/PointOps.h"
#include "dialects/te/Transforms/InlineProducer.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

std::optional<ReadWindow> te::findReadWindow(ReadOp read, ComputeOp producer) {
  auto reader = dyn_cast<ComputeOp>(read->getParentOp());
  if (!reader || reader.hasReduction() || read.getGuard() || hasOpaqueIndex(read))
    return std::nullopt;
  PieceBounds bounds = getPieceBounds(getBodyAround(read).where, reader.getNumDims());
  if (!bounds.rest.empty())
    return std::nullopt;
  ReadWindow window;
  AffineMap map = read.getMap();
  MLIRContext *context = read.getContext();
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    std::optional<StridedIndex> index =
        matchStridedIndex(expr, map.getNumDims(), map.getNumSymbols());
    AffineExpr own = getAffineDimExpr(dim, context);
    if (!index) { // all indexes of the dim
      window.sizes.push_back(producer.getParallelSizes()[dim]);
      window.source.push_back(own);
      window.reader.push_back(expr);
    } else if (!index->dim) {
      window.sizes.push_back(Builder(context).getIndexAttr(1));
      window.source.push_back(expr);
      window.reader.push_back(getAffineConstantExpr(0, context));
    } else {
      int64_t lower = bounds.lower[*index->dim];
      OpFoldResult size = reader.getIterationDomain()[*index->dim];
      window.sizes.push_back(bounds.getExtent(*index->dim, size));
      window.source.push_back((own + lower) * index->stride + index->offset);
      window.reader.push_back(getAffineDimExpr(*index->dim, context) - lower);
    }
  }
  return window;
}

ComputeOp te::storeWindow(RewriterBase &rewriter, ReadOp read, ComputeOp producer,
                          const ReadWindow &window) {
  auto reader = cast<ComputeOp>(read->getParentOp());
  MLIRContext *context = rewriter.getContext();
  SmallVector<Value> symbols(read.getSymbols());
  auto source = AffineMap::get(window.sizes.size(), symbols.size(), window.source, context);
  rewriter.setInsertionPoint(reader);
  Type type = read.getValue().getType();
  ReadOp inner;
  auto result = buildCompute(rewriter, producer.getLoc(), window.sizes, type,
                             [&](OpBuilder &b, Location loc) -> SmallVector<Value> {
                               inner = ReadOp::create(b, loc, read.getSource(), source, symbols);
                               return {inner};
                             });
  auto index = AffineMap::get(reader.getNumDims(), symbols.size(), window.reader, context);
  for (Operation &op : llvm::make_early_inc_range(*read->getBlock())) {
    auto other = dyn_cast<ReadOp>(op);
    if (!other || other.getSource() != read.getSource() || other.getMap() != read.getMap() ||
        other.getSymbols() != read.getSymbols() || other.getGuard() || other == read)
      continue;
    rewriter.setInsertionPoint(other);
    rewriter.replaceOpWithNewOp<ReadOp>(other, result.getResult(0), index, symbols);
  }
  rewriter.setInsertionPoint(read);
  rewriter.replaceOpWithNewOp<ReadOp>(read, result.getResult(0), index, symbols);

  PointDomain domain = PointDomain::get(inner);
  PiecesRead pieces = findPieces(inner, producer, domain);
  if (pieces.isOne()) {
    inlineProducer(rewriter, inner, producer, pieces.pieces.front().first);
    return result;
  }
  return splitByPieces(rewriter, result, inner, producer, pieces);
}
