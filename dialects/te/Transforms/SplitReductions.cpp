//===- SplitReductions.cpp - reductions in two phases ---------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Analysis/BodyFacts.h"
#include "dialects/te/IR/Builders.h"
#include "dialects/te/IR/PointOps.h"
#include "dialects/te/IR/Sizes.h"
#include "dialects/te/Transforms/Passes.h"
#include "dialects/te/Transforms/RowGroups.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"

namespace mlir::tssa::te {
#define GEN_PASS_DEF_TESPLITREDUCTIONS
#include "dialects/te/Transforms/Passes.h.inc"
} // namespace mlir::tssa::te

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

/// A reduction of more results has enough threads, and shorter parts do not pay for a launch.
static constexpr double mostResults = 64, leastPoints = 1 << 16;

/// More parts would not keep more cores busy.
static constexpr int64_t mostParts = 64;

/// A reduction dim, of those of the reduction, and the parts that it is split into.
struct Split {
  unsigned dim = 0;
  int64_t parts = 1;
};

/// Returns the greatest divisor of `size` that is at most `most` and leaves parts of two or more.
static int64_t findDivisor(int64_t size, int64_t most) {
  for (int64_t divisor = std::min(size / 2, most); divisor > 1; --divisor)
    if (size % divisor == 0)
      return divisor;
  return 1;
}

/// Returns the dim that can be split into the most parts, but at most `most`; the outermost of
/// several.
static Split findSplit(ComputeOp op, int64_t most) {
  Split best;
  for (auto [dim, size] : llvm::enumerate(op.getReductionSizes())) {
    std::optional<int64_t> constant = getConstantSize(size);
    int64_t parts = constant ? findDivisor(*constant, most) : 1;
    if (parts > best.parts)
      best = {static_cast<unsigned>(dim), parts};
  }
  return best;
}

/// Builds the first phase: the parts are its first dim.
static ComputeOp buildParts(RewriterBase &rewriter, ComputeOp op, const Split &split) {
  MLIRContext *context = op.getContext();
  unsigned numParallel = op.getNumParallel();
  SmallVector<OpFoldResult> parallel = op.getParallelSizes(), reduction = op.getReductionSizes();
  int64_t length = *getConstantSize(reduction[split.dim]) / split.parts;
  parallel.insert(parallel.begin(), rewriter.getIndexAttr(split.parts));
  reduction[split.dim] = rewriter.getIndexAttr(length);
  SmallVector<int64_t> shape = llvm::map_to_vector(parallel, [](OpFoldResult size) {
    return getConstantSize(size).value_or(ShapedType::kDynamic);
  });
  SmallVector<Type> results;
  for (Type type : op.getAccumulatorTypes())
    results.push_back(RankedTensorType::get(shape, type));
  ComputeOp parts = createReduction(rewriter, op, results, parallel, reduction);
  SmallVector<AffineExpr> point;
  for (unsigned dim = 0; dim < op.getNumDims(); ++dim)
    point.push_back(getAffineDimExpr(dim + 1, context));
  AffineExpr &index = point[numParallel + split.dim];
  index = getAffineDimExpr(0, context) * length + index;
  rewriter.createBlock(&parts.getPieces().front());
  IRMapping mapping;
  PointMap map{AffineMap::get(op.getNumDims() + 1, 0, point, context), {}};
  SmallVector<Value> yielded = cloneBody(rewriter, *op.getPieceBlock(), map, mapping);
  YieldOp::create(rewriter, op.getLoc(), yielded);
  return parts;
}

/// Builds the second phase, which takes over the epilogue of `op`.
static ComputeOp buildCombined(RewriterBase &rewriter, ComputeOp op, ComputeOp parts) {
  MLIRContext *context = op.getContext();
  unsigned numParallel = op.getNumParallel();
  ComputeOp combined = createReduction(rewriter, op, op.getResultTypes(), op.getParallelSizes(),
                                       parts.getParallelSizes().front());
  SmallVector<AffineExpr> index{getAffineDimExpr(numParallel, context)};
  for (unsigned dim = 0; dim < numParallel; ++dim)
    index.push_back(getAffineDimExpr(dim, context));
  rewriter.createBlock(&combined.getPieces().front());
  SmallVector<Value> yielded;
  for (Value result : parts.getResults())
    yielded.push_back(ReadOp::create(rewriter, op.getLoc(), result,
                                     AffineMap::get(numParallel + 1, 0, index, context)));
  YieldOp::create(rewriter, op.getLoc(), yielded);
  combined.getEpilogue().takeBody(op.getEpilogue());
  return combined;
}

static remark::RemarkOpts getRemarkOptions() {
  return remark::RemarkOpts::name("phases").category("te-split-reductions");
}

namespace {
struct SplitReductions : te::impl::TESplitReductionsBase<SplitReductions> {
  using TESplitReductionsBase::TESplitReductionsBase;

  SplitReductions(TESplitReductionsOptions options, PartsChooser choose)
      : TESplitReductionsBase(options), choose(std::move(choose)) {}

  void runOnOperation() override {
    if (apply == ::tssa::Apply::Never)
      return;
    SmallVector<ComputeOp> reductions;
    getOperation().walk([&](ComputeOp op) {
      if (op.hasReduction())
        reductions.push_back(op);
    });
    for (ComputeOp op : reductions)
      visit(op);
  }

private:
  void visit(ComputeOp op) {
    double results = getReuse(op.getParallelSizes(), {});
    double points = getReuse(op.getIterationDomain(), {});
    bool isForced = apply == ::tssa::Apply::Always;
    int64_t wanted = choose && !isForced && !isComputedByRows(op) ? choose(op) : 1;
    if (wanted == 1 && !isForced &&
        (results > mostResults || points < 2 * leastPoints || isComputedByRows(op)))
      return;
    int64_t most = isForced     ? mostParts
                   : wanted > 1 ? wanted
                                : std::min<int64_t>(mostParts, points / leastPoints);
    Split split = op.getPieces().size() == 1 ? findSplit(op, most) : Split();
    if (split.parts == 1) {
      remark::missed(op.getLoc(), getRemarkOptions())
          << remark::reason("it consists of pieces, or no dim has parts of equal length")
          << remark::metric("Points", static_cast<int64_t>(points));
      return;
    }
    remark::passed(op.getLoc(), getRemarkOptions())
        << remark::add("parts are reduced, and then combined")
        << remark::metric("Parts", split.parts)
        << remark::metric("Points", static_cast<int64_t>(points));
    IRRewriter rewriter(op);
    ComputeOp parts = buildParts(rewriter, op, split);
    rewriter.setInsertionPoint(op);
    rewriter.replaceOp(op, buildCombined(rewriter, op, parts));
    ++numSplit;
  }

  PartsChooser choose; ///< what a target would like; may be empty
};
} // namespace

std::unique_ptr<Pass> te::createTESplitReductions(TESplitReductionsOptions options,
                                                  PartsChooser choose) {
  return std::make_unique<SplitReductions>(options, std::move(choose));
}
