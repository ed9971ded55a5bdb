//===- LowerToTE.cpp - views as index expressions -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The steps of a path compose to index expressions. An access becomes an expression that reads
/// at these indexes, and an assign becomes a te.update that writes at them.
///
//===----------------------------------------------------------------------===//

#include "dialects/te/IR/Builders.h"
#include "dialects/te/IR/Sizes.h"
#include "dialects/tssa/Analysis/Shapes.h"
#include "dialects/tssa/IR/TSSAOps.h"
#include "dialects/tssa/Transforms/Passes.h"
#include "dialects/tssa/Transforms/ViewMap.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::tssa::refs {
#define GEN_PASS_DEF_TSSALOWERTOTE
#include "dialects/tssa/Transforms/Passes.h.inc"
} // namespace mlir::tssa::refs

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::refs;

/// Removes the symbols that the map of `view` does not use.
static void dropUnusedSymbols(ViewMap &view) {
  MLIRContext *context = view.map.getContext();
  SmallVector<AffineExpr> replacements;
  SmallVector<Value> used;
  for (auto [position, symbol] : llvm::enumerate(view.symbols)) {
    bool isUsed = view.map.isFunctionOfSymbol(position);
    replacements.push_back(isUsed ? getAffineSymbolExpr(used.size(), context)
                                  : getAffineConstantExpr(0, context));
    if (isUsed)
      used.push_back(symbol);
  }
  view.map = view.map.replaceDimsAndSymbols({}, replacements, view.map.getNumDims(), used.size());
  view.symbols = std::move(used);
}

ViewMap refs::makeViewMap(OpBuilder &builder, Location loc, const Path &path, Value base) {
  ViewMap view;
  MLIRContext *context = builder.getContext();
  SmallVector<OpFoldResult> sizes = refs::getSizes(builder, loc, base);
  auto toExpr = [&](OpFoldResult index) {
    if (std::optional<int64_t> constant = getConstantIntValue(index))
      return getAffineConstantExpr(*constant, context);
    auto value = cast<Value>(index);
    auto it = llvm::find(view.symbols, value);
    unsigned position = it - view.symbols.begin();
    if (it == view.symbols.end())
      view.symbols.push_back(value);
    return getAffineSymbolExpr(position, context);
  };
  view.sizes = reifyShape(path, sizes);
  SmallVector<AffineExpr> point;
  for (unsigned dim = 0; dim < view.sizes.size(); ++dim)
    point.push_back(getAffineDimExpr(dim, context));
  SmallVector<AffineExpr> exprs = mapOut(path, point, sizes, context, toExpr);
  view.map = AffineMap::get(point.size(), view.symbols.size(), exprs, context);
  dropUnusedSymbols(view);
  return view;
}

/// Returns `value`, with a tensor.cast if its type is not `type`.
static Value castTo(OpBuilder &builder, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  return tensor::CastOp::create(builder, loc, type, value);
}

void refs::lowerAccess(OpBuilder &builder, AccessOp op) {
  ViewMap view = makeViewMap(builder, op.getLoc(), op.getBoundPath(), op.getBase());
  Type element = cast<RankedTensorType>(op.getType()).getElementType();
  auto compute =
      te::buildCompute(builder, op.getLoc(), view.sizes, element, [&](OpBuilder &b, Location loc) {
        return SmallVector<Value>{te::ReadOp::create(b, loc, op.getBase(), view.map, view.symbols)};
      });
  op.replaceAllUsesWith(castTo(builder, op.getLoc(), compute.getResult(0), op.getType()));
}

te::UpdateOp refs::lowerAssign(OpBuilder &builder, AssignOp op) {
  ViewMap view = makeViewMap(builder, op.getLoc(), op.getBoundPath(), op.getBase());
  auto identity = builder.getMultiDimIdentityMap(view.sizes.size());
  auto update = te::buildUpdate(builder, op.getLoc(), op.getBase(), view.sizes, view.map,
                                view.symbols, IntegerSet(), [&](OpBuilder &b, Location loc) {
                                  return SmallVector<Value>{
                                      te::ReadOp::create(b, loc, op.getSource(), identity)};
                                });
  update.setInjective(true); // (C4) of tssa.assign
  op.replaceAllUsesWith(update.getResult());
  return update;
}

namespace {
struct LowerToTE : refs::impl::TSSALowerToTEBase<LowerToTE> {
  void runOnOperation() override {
    SmallVector<Operation *> lowered;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      OpBuilder builder(op);
      if (auto access = dyn_cast<AccessOp>(op))
        lowerAccess(builder, access);
      else if (auto assign = dyn_cast<AssignOp>(op))
        lowerAssign(builder, assign);
      else
        return;
      lowered.push_back(op);
    });
    for (Operation *op : llvm::reverse(lowered))
      op->erase();
  }
};
} // namespace
