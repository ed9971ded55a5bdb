//===- LowerToTE.cpp - windows as index expressions -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// An access is a read at the composed index expressions of its path; an assign is a
/// te.update of the window, whose map they are.
///
//===----------------------------------------------------------------------===//

#include "dialects/te/IR/Builders.h"
#include "dialects/te/IR/Sizes.h"
#include "dialects/tssa/Analysis/Shapes.h"
#include "dialects/tssa/IR/TSSAOps.h"
#include "dialects/tssa/Transforms/Passes.h"
#include "dialects/tssa/Transforms/WindowMap.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::tssa::refs {
#define GEN_PASS_DEF_TSSALOWERTOTE
#include "dialects/tssa/Transforms/Passes.h.inc"
} // namespace mlir::tssa::refs

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::refs;

/// Drops the symbols that the map does not use.
static void dropUnusedSymbols(WindowMap &window) {
  MLIRContext *context = window.map.getContext();
  SmallVector<AffineExpr> replacements;
  SmallVector<Value> used;
  for (auto [position, symbol] : llvm::enumerate(window.symbols)) {
    bool isUsed = window.map.isFunctionOfSymbol(position);
    replacements.push_back(isUsed ? getAffineSymbolExpr(used.size(), context)
                                  : getAffineConstantExpr(0, context));
    if (isUsed)
      used.push_back(symbol);
  }
  window.map =
      window.map.replaceDimsAndSymbols({}, replacements, window.map.getNumDims(), used.size());
  window.symbols = std::move(used);
}

WindowMap refs::makeWindowMap(OpBuilder &builder, Location loc, const Path &path, Value base) {
  WindowMap window;
  MLIRContext *context = builder.getContext();
  SmallVector<OpFoldResult> sizes = refs::getSizes(builder, loc, base);
  auto toExpr = [&](OpFoldResult index) {
    if (std::optional<int64_t> constant = getConstantIntValue(index))
      return getAffineConstantExpr(*constant, context);
    auto value = cast<Value>(index);
    auto it = llvm::find(window.symbols, value);
    unsigned position = it - window.symbols.begin();
    if (it == window.symbols.end())
      window.symbols.push_back(value);
    return getAffineSymbolExpr(position, context);
  };
  window.sizes = reifyShape(path, sizes);
  SmallVector<AffineExpr> point;
  for (unsigned dim = 0; dim < window.sizes.size(); ++dim)
    point.push_back(getAffineDimExpr(dim, context));
  SmallVector<AffineExpr> exprs = mapOut(path, point, sizes, context, toExpr);
  window.map = AffineMap::get(point.size(), window.symbols.size(), exprs, context);
  dropUnusedSymbols(window);
  return window;
}

/// `value`, cast where what is known of its sizes is not what `type` says.
static Value castTo(OpBuilder &builder, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  return tensor::CastOp::create(builder, loc, type, value);
}

void refs::lowerAccess(OpBuilder &builder, AccessOp op) {
  WindowMap window = makeWindowMap(builder, op.getLoc(), op.getBoundPath(), op.getBase());
  Type element = cast<RankedTensorType>(op.getType()).getElementType();
  auto compute = te::buildCompute(
      builder, op.getLoc(), window.sizes, element, [&](OpBuilder &b, Location loc) {
        return SmallVector<Value>{
            te::ReadOp::create(b, loc, op.getBase(), window.map, window.symbols)};
      });
  op.replaceAllUsesWith(castTo(builder, op.getLoc(), compute.getResult(0), op.getType()));
}

static void lower(OpBuilder &builder, AssignOp op) {
  WindowMap window = makeWindowMap(builder, op.getLoc(), op.getBoundPath(), op.getBase());
  auto identity = builder.getMultiDimIdentityMap(window.sizes.size());
  auto update = te::buildUpdate(builder, op.getLoc(), op.getBase(), window.sizes, window.map,
                                window.symbols, IntegerSet(), [&](OpBuilder &b, Location loc) {
                                  return SmallVector<Value>{
                                      te::ReadOp::create(b, loc, op.getSource(), identity)};
                                });
  update.setInjective(true); // (C4) of tssa.assign
  op.replaceAllUsesWith(update.getResult());
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
        lower(builder, assign);
      else
        return;
      lowered.push_back(op);
    });
    for (Operation *op : llvm::reverse(lowered))
      op->erase();
  }
};
} // namespace
