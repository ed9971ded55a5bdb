//===- LoopSlice.cpp - what an op in a loop is computed from -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/tssa/Transforms/LoopSlice.h"
#include "dialects/te/Analysis/ReadFacts.h"
#include "dialects/te/IR/Captures.h"
#include "dialects/te/IR/PointOps.h"
#include "dialects/tssa/Transforms/ViewMap.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::refs;

//===----------------------------------------------------------------------===//
// Ops that cannot fail
//===----------------------------------------------------------------------===//

/// Returns whether `op` cannot fail, wherever it stands.
static bool cannotFail(Operation *op) {
  if (auto compute = dyn_cast<te::ComputeOp>(op)) {
    WalkResult result = compute->walk([](te::ReadOp read) {
      return te::isInside(read) ? WalkResult::advance() : WalkResult::interrupt();
    });
    return !result.wasInterrupted() && !te::findUnsafe(compute);
  }
  // The verifier checks the view if all sizes and all integers are constants.
  if (auto access = dyn_cast<AccessOp>(op))
    return access.getIndexes().empty() &&
           cast<RankedTensorType>(access.getBase().getType()).hasStaticShape();
  return !isa<tensor::CastOp>(op) && isSpeculatable(op);
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

LoopSlice::LoopSlice(scf::ForOp loop, Operation *op, Value given)
    : loop(loop), given(given), builder(loop), batch(builder, loop, Value()) {
  add(op);
}

bool LoopSlice::giveUp(const Twine &why) {
  if (obstacle.empty())
    obstacle = why.str();
  return false;
}

bool LoopSlice::varies(Value value) const {
  if (scf::ForOp(loop).isDefinedOutsideOfLoop(value))
    return false;
  Operation *op = value.getDefiningOp();
  return !op || !ops.contains(op) || varying.contains(op);
}

/// Checks that all indexes that depend on the iteration are sums of the induction variable and
/// values outside of the loop, and that only indexes do.
bool LoopSlice::checkIndexes(Operation *op) {
  auto isInside = [&](Value value) {
    return op->isAncestor(value.getParentRegion()->getParentOp());
  };
  auto areAffine = [&](ValueRange indexes) {
    return llvm::all_of(indexes,
                        [&](Value index) { return isInside(index) || isAffine(loop, index); });
  };
  if (auto access = dyn_cast<AccessOp>(op))
    return areAffine(access.getIndexes()) || giveUp("an index is no sum of the loop's variable");
  WalkResult result = op->walk([&](Operation *inner) {
    auto read = dyn_cast<te::ReadOp>(inner);
    if (read && !areAffine(read.getSymbols()))
      giveUp("an index is no sum of the loop's variable");
    if (!read && inner != op && llvm::any_of(inner->getOperands(), [&](Value operand) {
          return !isInside(operand) && varies(operand);
        }))
      giveUp("it computes with the loop's variable");
    return obstacle.empty() ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

bool LoopSlice::add(Operation *op) {
  if (ops.contains(op))
    return true;
  llvm::SetVector<Value> captures;
  te::collectCaptures(op, captures);
  bool isVarying = false, isPerIteration = false;
  for (Value value : captures) {
    if (loop.isDefinedOutsideOfLoop(value))
      continue;
    Operation *producer = value.getDefiningOp();
    if (!producer || value == given) {
      if (value != given && value != loop.getInductionVar())
        return giveUp("it depends on a value that the loop carries");
      isVarying = true;
      continue;
    }
    if (!add(producer))
      return false;
    isVarying |= varying.contains(producer);
    isPerIteration |= perIteration.contains(producer);
  }
  bool writes = isa<AssignOp, te::UpdateOp>(op);
  if (writes || !batch.canBatch(op))
    return giveUp("'" + op->getName().getStringRef() +
                  "' cannot be done for all iterations at once");
  if (!checkIndexes(op))
    return false;
  std::optional<APInt> count = loop.getStaticTripCount();
  bool isSafe = (count && !count->isZero()) || cannotFail(op);
  ops.insert(op);
  if (isVarying)
    varying.insert(op);
  if (isVarying || isPerIteration || !isSafe)
    perIteration.insert(op);
  return true;
}

bool refs::reusesTensor(const LoopSlice &slice, te::ComputeOp compute) {
  for (Region &piece : compute.getPieces())
    for (auto read : piece.getOps<te::ReadOp>()) {
      if (slice.varies(read.getSource()) || te::hasOpaqueIndex(read) ||
          llvm::any_of(read.getSymbols(), [&](Value symbol) { return slice.varies(symbol); }))
        continue;
      for (unsigned dim = compute.getNumParallel(); dim < compute.getNumDims(); ++dim)
        if (read.getMap().isFunctionOfDim(dim))
          return true;
    }
  return false;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

void LoopSlice::eraseUnused() {
  for (Operation *op : llvm::reverse(ops))
    if (isOpTriviallyDead(op))
      op->erase();
}

void refs::lowerAccesses(const LoopSlice &slice) {
  for (Operation *op : slice.getOps())
    if (auto access = dyn_cast<AccessOp>(op); access && !slice.runsOnce(op)) {
      OpBuilder builder(access);
      lowerAccess(builder, access);
      access.erase();
    }
}

void refs::batchSlice(OpBuilder &builder, const LoopSlice &slice, LoopBatch &batch) {
  IRMapping once;
  for (Operation *op : slice.getOps()) {
    if (slice.runsOnce(op)) {
      Operation *copy = builder.clone(*op, once);
      for (auto [inside, outside] : llvm::zip_equal(op->getResults(), copy->getResults()))
        batch.setUniform(inside, outside);
    } else if (auto compute = dyn_cast<te::ComputeOp>(op)) {
      batch.batch(compute);
    } else if (auto cast = dyn_cast<tensor::CastOp>(op)) {
      batch.batch(cast);
    }
  }
}
