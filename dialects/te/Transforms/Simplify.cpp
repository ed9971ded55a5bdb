//===- Simplify.cpp - simplifies index expressions -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/IR/MergeEqualOps.h"
#include "dialects/te/IR/Sizes.h"
#include "dialects/te/IR/TEOps.h"
#include "dialects/te/Transforms/Passes.h"
#include "dialects/te/Transforms/SimplifyBody.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::tssa::te {
#define GEN_PASS_DEF_TESIMPLIFY
#include "dialects/te/Transforms/Passes.h.inc"
} // namespace mlir::tssa::te

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

/// Replaces the size of a te result by the size operand of its op.
static void foldDim(RewriterBase &rewriter, tensor::DimOp dim) {
  std::optional<int64_t> index = dim.getConstantIndex();
  auto type = dyn_cast<RankedTensorType>(dim.getSource().getType());
  Operation *def = dim.getSource().getDefiningOp();
  if (!index || !type || !isa_and_nonnull<ExpressionOpInterface, ExternOp, LaunchOp>(def) ||
      *index < 0 || *index >= type.getRank())
    return;
  rewriter.setInsertionPoint(dim);
  OpFoldResult size = getSize(rewriter, dim.getLoc(), dim.getSource(), *index);
  if (auto value = dyn_cast<Value>(size)) {
    if (value != dim.getResult())
      rewriter.replaceOp(dim, value);
    return;
  }
  rewriter.replaceOpWithNewOp<arith::ConstantIndexOp>(dim, *getConstantSize(size));
}

/// Replaces a tensor that folding has made an arith.constant by a te.constant.
static void replaceConstant(RewriterBase &rewriter, arith::ConstantOp op) {
  rewriter.setInsertionPoint(op);
  rewriter.replaceOpWithNewOp<te::ConstantOp>(op, cast<ElementsAttr>(op.getValue()));
}

namespace {
struct Simplify : te::impl::TESimplifyBase<Simplify> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<tensor::DimOp> dims;
    SmallVector<arith::ConstantOp> constants;
    SmallVector<ExpressionOpInterface> expressions;
    getOperation()->walk([&](Operation *op) {
      if (auto dim = dyn_cast<tensor::DimOp>(op))
        dims.push_back(dim);
      else if (auto constant = dyn_cast<arith::ConstantOp>(op);
               constant && isa<RankedTensorType>(constant.getType()))
        constants.push_back(constant);
      else if (auto expression = dyn_cast<ExpressionOpInterface>(op))
        expressions.push_back(expression);
    });
    for (tensor::DimOp dim : dims)
      foldDim(rewriter, dim);
    for (arith::ConstantOp constant : constants)
      replaceConstant(rewriter, constant);
    SimplifyCounts counts;
    for (ExpressionOpInterface expression : expressions)
      simplifyBodies(rewriter, expression, counts);
    mergeEqualOps(rewriter, getOperation());
    numGuards += counts.guardsDropped;
    numReads += counts.readsFolded;
    numSets += counts.setsFolded;
  }
};
} // namespace
