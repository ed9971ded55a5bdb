//===- PropagateBlocks.cpp - updates through control flow -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The second part of Algorithm 1 of the paper. If a region of an op O has an update(x', x), and
/// x is defined outside of O, the region yields x, O gets a new result r, and update(r, x)
/// follows O. A loop also carries x: its body begins with update(p, x) for the new
/// argument p. All regions of O yield x itself; tssa-rename then replaces x by the version
/// that reaches the yield.
///
/// O gets one new result for x, however often x is updated inside.
///
//===----------------------------------------------------------------------===//

#include "dialects/tssa/IR/TSSAOps.h"
#include "dialects/tssa/Transforms/CarriedValues.h"
#include "dialects/tssa/Transforms/Passes.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::tssa::refs {
#define GEN_PASS_DEF_TSSAPROPAGATEBLOCKS
#include "dialects/tssa/Transforms/Passes.h.inc"
} // namespace mlir::tssa::refs

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::refs;

/// Returns the values defined outside of `op` that get a new version in one of its blocks.
static SetVector<Value> findUpdated(Operation *op) {
  SetVector<Value> updated;
  for (Region &region : op->getRegions())
    for (VersionOp version : region.getOps<VersionOp>())
      if (!op->isAncestor(version.getOldVersion().getParentBlock()->getParentOp()))
        updated.insert(version.getOldVersion());
  return updated;
}

static void propagate(Operation *op) {
  SmallVector<Value> updated = findUpdated(op).takeVector();
  if (updated.empty())
    return;
  OpBuilder builder(op);
  Operation *carrying = addCarried(builder, op, updated, TypeRange(ValueRange(updated)));
  op->replaceAllUsesWith(carrying->getResults().take_front(op->getNumResults()));
  auto update = [&](ValueRange versions) {
    for (auto [version, old] : llvm::zip_equal(versions.take_back(updated.size()), updated))
      VersionOp::create(builder, op->getLoc(), version, old);
  };
  for (Region &region : carrying->getRegions()) {
    getYielded(region).append(updated);
    builder.setInsertionPointToStart(&region.front());
    if (!isa<scf::IfOp>(carrying))
      update(region.getArguments());
  }
  builder.setInsertionPointAfter(carrying);
  update(carrying->getResults());
  op->erase();
}

namespace {
struct PropagateBlocks : refs::impl::TSSAPropagateBlocksBase<PropagateBlocks> {
  void runOnOperation() override {
    // Inner ops come first: the versions that follow an inner op are then propagated out of the
    // op around it.
    SmallVector<Operation *> controlFlow;
    getOperation().walk<WalkOrder::PostOrder>([&](Operation *op) {
      if (isControlFlow(op))
        controlFlow.push_back(op);
    });
    llvm::for_each(controlFlow, propagate);
  }
};
} // namespace
