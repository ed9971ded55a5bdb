//===- Rename.cpp - renames uses to new versions, and erases versions -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The third part of Algorithm 1 of the paper. Updates are visited in program order. The uses of x
/// that an update(x', x) dominates become uses of x'. They include operands of loops, values that
/// blocks yield, and the old versions of later updates.
///
//===----------------------------------------------------------------------===//

#include "dialects/tssa/IR/TSSAOps.h"
#include "dialects/tssa/Transforms/Passes.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mlir::tssa::refs {
#define GEN_PASS_DEF_TSSARENAME
#define GEN_PASS_DEF_TSSAERASEVERSIONS
#include "dialects/tssa/Transforms/Passes.h.inc"
} // namespace mlir::tssa::refs

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::refs;

namespace {
struct Rename : refs::impl::TSSARenameBase<Rename> {
  void runOnOperation() override {
    DominanceInfo dominance(getOperation());
    getOperation().walk<WalkOrder::PreOrder>([&](VersionOp version) {
      version.getOldVersion().replaceUsesWithIf(version.getNewVersion(), [&](OpOperand &use) {
        return dominance.properlyDominates(version, use.getOwner(), /*enclosingOpOk=*/false);
      });
    });
  }
};

struct EraseVersions : refs::impl::TSSAEraseVersionsBase<EraseVersions> {
  void runOnOperation() override {
    getOperation().walk([](VersionOp version) { version.erase(); });
    IRRewriter rewriter(&getContext());
    (void)runRegionDCE(rewriter, getOperation()->getRegions());
  }
};
} // namespace
