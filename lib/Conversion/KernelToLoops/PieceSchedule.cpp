//===- PieceSchedule.cpp - the loops of one piece of an expression -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PieceSchedule.h"
#include "KernelFunction.h"
#include "dialects/te/Analysis/PieceBounds.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace ::tssa::conversion;

namespace {
/// The box of one piece, and the constraints of the piece that the box does not express.
struct PieceBox {
  SmallVector<AffineExpr> offsets, extents; ///< of all dims, parallel and reduction
  IntegerSet rest;                          ///< the other constraints; null if there are none
};
} // namespace

static FailureOr<PieceBox> getBox(te::ComputeOp op, unsigned piece, ArrayRef<AffineExpr> extents) {
  MLIRContext *context = op.getContext();
  PieceBox box;
  box.offsets.assign(extents.size(), getAffineConstantExpr(0, context));
  box.extents.assign(extents.begin(), extents.end());
  IntegerSet set = op.getPieceSet(piece);
  if (!set)
    return box;
  te::PieceBounds bounds = te::getPieceBounds(set, extents.size());
  if (!bounds.rest.empty()) {
    if (op.hasReduction())
      return op.emitOpError("expected piece ")
             << piece << " of a reduction to be a box with constant bounds";
    box.rest = IntegerSet::get(set.getNumDims(), 0, bounds.rest, bounds.restEqualities);
  }
  for (unsigned dim = 0; dim < extents.size(); ++dim) {
    int64_t lower = bounds.lower[dim];
    std::optional<int64_t> end = bounds.upper[dim];
    box.offsets[dim] = getAffineConstantExpr(lower, context);
    if (auto extent = dyn_cast<AffineConstantExpr>(extents[dim]))
      end = std::min(end.value_or(extent.getValue()), extent.getValue());
    box.extents[dim] = end ? getAffineConstantExpr(std::max<int64_t>(0, *end - lower), context)
                           : extents[dim] - lower;
  }
  return box;
}

static bool hasSymbol(AffineExpr expr) {
  auto walked = expr.walk([](AffineExpr inner) {
    return isa<AffineSymbolExpr>(inner) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return walked.wasInterrupted();
}

namespace tssa::conversion {

AffineExpr getLiveExpr(IndexBuilder &index, const Schedule &schedule, AffineExpr expr) {
  DenseMap<AffineExpr, AffineExpr> liveExprs;
  for (auto [loop, splitExpr] : schedule.splits)
    liveExprs[getAffineDimExpr(loop, index.getContext())] = splitExpr;
  return index.simplify(index.simplify(expr.replaceDims(schedule.dims)).replace(liveExprs));
}

StringRef getLabel(te::ComputeOp op) { return op.getLabel().value_or(""); }

SmallVector<AffineExpr> getExtents(IndexBuilder &index, te::ComputeOp op, const IRMapping &values) {
  SmallVector<AffineExpr> extents;
  for (OpFoldResult size : mapSizes(op.getIterationDomain(), values))
    extents.push_back(index.getSize(size));
  return extents;
}

FailureOr<ScheduledPiece> schedulePiece(IndexBuilder &index, te::KernelOp kernel, te::ComputeOp op,
                                        unsigned piece, const IRMapping &values,
                                        ArrayRef<IndexSpan> spans) {
  FailureOr<PieceBox> box = getBox(op, piece, getExtents(index, op, values));
  if (failed(box))
    return failure();
  for (auto [dim, span] : llvm::enumerate(spans))
    if (span.offset) {
      box->offsets[dim] = span.offset;
      box->extents[dim] = span.extent;
    }
  FailureOr<Schedule> schedule = layout::readSchedule(kernel.getSchedule(), getLabel(op),
                                                      box->extents, op.getNumParallel(), op);
  if (failed(schedule))
    return failure();
  for (auto [dim, offset] : llvm::zip_equal(schedule->dims, box->offsets))
    dim = dim + offset;
  return ScheduledPiece{std::move(*schedule), box->extents, box->rest};
}

SmallVector<AffineExpr> getFixedDims(IndexBuilder &index, const Schedule &schedule,
                                     te::ComputeOp root, te::ComputeOp inner) {
  SmallVector<AffineExpr> fixed(inner.getNumParallel());
  SmallVector<bool> conflict(inner.getNumParallel(), false);
  auto visit = [&](te::ReadOp read, llvm::function_ref<AffineExpr(AffineExpr)> getLive) {
    for (auto [dim, expr] : llvm::enumerate(read.getMap().getResults())) {
      AffineExpr over = hasSymbol(expr) ? AffineExpr() : getLive(expr);
      if (!over || !index.isKnown(over) || (fixed[dim] && fixed[dim] != over))
        conflict[dim] = true;
      else
        fixed[dim] = over;
    }
  };
  // Other expressions that are computed at a loop may read `inner` too. Their own dims are fixed in
  // the same way, so their reads are examined only if the root does not read `inner`.
  SmallVector<te::ReadOp> ofRoot, ofOthers;
  for (Operation *user : inner->getUsers())
    if (auto read = dyn_cast<te::ReadOp>(user))
      (read->getParentOfType<te::ComputeOp>() == root ? ofRoot : ofOthers).push_back(read);
  for (te::ReadOp read : ofRoot)
    visit(read, [&](AffineExpr expr) { return getLiveExpr(index, schedule, expr); });
  for (te::ReadOp read : ofRoot.empty() ? ofOthers : SmallVector<te::ReadOp>()) {
    auto reader = read->getParentOfType<te::ComputeOp>();
    SmallVector<AffineExpr> at = getFixedDims(index, schedule, root, reader);
    at.resize(reader.getNumDims());
    visit(read, [&](AffineExpr expr) {
      bool isFixed = true;
      for (auto [dim, over] : llvm::enumerate(at))
        isFixed &= over || !expr.isFunctionOfDim(dim);
      return isFixed ? index.simplify(expr.replaceDims(at)) : AffineExpr();
    });
  }
  for (auto [dim, expr] : llvm::enumerate(fixed))
    if (conflict[dim])
      expr = AffineExpr();
  return fixed;
}

AffineExpr getProduct(ArrayRef<AffineExpr> factors, MLIRContext *context) {
  AffineExpr product = getAffineConstantExpr(1, context);
  for (AffineExpr factor : factors)
    product = product * factor;
  return product;
}

LogicalResult enterParallelLoops(IndexBuilder &index, const Schedule &schedule, Value number,
                                 AtLoopFn atLoop) {
  OpBuilder &builder = index.getBuilder();
  SmallVector<Value> ivs(schedule.parallel.size());
  for (unsigned i = ivs.size(); i-- > 0;) {
    if (i == 0) {
      ivs[0] = number;
      break;
    }
    Value extent = index.materialize(schedule.loops[schedule.parallel[i]].extent);
    ivs[i] = arith::RemUIOp::create(builder, index.getLoc(), number, extent);
    number = arith::DivUIOp::create(builder, index.getLoc(), number, extent);
  }
  for (auto [loop, info] : llvm::enumerate(schedule.loops))
    index.declareLoop(loop, info.extent);
  for (auto [loop, iv] : llvm::zip_equal(schedule.parallel, ivs)) {
    index.setLoop(loop, iv);
    if (failed(atLoop(loop)))
      return failure();
  }
  return success();
}

void leaveParallelLoops(IndexBuilder &index, const Schedule &schedule) {
  for (unsigned loop : llvm::reverse(schedule.parallel))
    index.dropLoop(loop);
}

AffineExpr getParallelCount(const Schedule &schedule, MLIRContext *context) {
  SmallVector<AffineExpr> extents;
  for (unsigned loop : schedule.parallel)
    extents.push_back(schedule.loops[loop].extent);
  return getProduct(extents, context);
}

} // namespace tssa::conversion
