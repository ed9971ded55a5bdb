//===- DropCopies.cpp - removes kernels that copy a result as it is -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Transforms/Copies.h"
#include "dialects/layout/Transforms/KernelVariants.h"
#include "dialects/layout/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"

namespace mlir::tssa::layout {
#define GEN_PASS_DEF_DROPCOPIES
#include "dialects/layout/Transforms/Passes.h.inc"
} // namespace mlir::tssa::layout

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

static remark::RemarkOpts getRemarkOptions() {
  return remark::RemarkOpts::name("copy").category("layout-drop-copies");
}

/// Returns whether `source` can replace `copy`. Two tensors that leave the program or a region
/// must remain distinct.
static bool canTakePlaceOf(Value source, Value copy) {
  auto isLaunch = [](Operation *user) { return isa<te::LaunchOp>(user); };
  if (llvm::all_of(copy.getUsers(), isLaunch))
    return true;
  return copy.hasOneUse() && isa<func::ReturnOp>(*copy.user_begin()) &&
         source.getParentBlock() == copy.getParentBlock() &&
         llvm::all_of(source.getUsers(), isLaunch);
}

namespace {
struct DropCopies : layout::impl::DropCopiesBase<DropCopies> {
  void runOnOperation() final {
    KernelVariants kernels(getOperation());
    getOperation().walk([&](te::LaunchOp launch) {
      if (te::KernelOp kernel = kernels.lookup(launch))
        if (BlockArgument copied = findCopiedParameter(kernel))
          drop(launch, launch.getInputs()[copied.getArgNumber()], kernels);
    });
    kernels.eraseUnused();
  }

private:
  void drop(te::LaunchOp launch, Value source, KernelVariants &kernels) {
    Value copy = launch.getResult(0);
    if (!source.getDefiningOp<te::LaunchOp>())
      return;
    if (!canTakePlaceOf(source, copy)) {
      remark::missed(launch.getLoc(), getRemarkOptions())
          << remark::reason("it or its operand leaves the program or a region");
      return;
    }
    auto type = cast<RankedTensorType>(copy.getType());
    auto dropped = remark::passed(launch.getLoc(), getRemarkOptions());
    dropped << remark::add("its operand is stored in the layout of the copy");
    if (type.hasStaticShape())
      dropped << remark::metric("Elements", type.getNumElements());
    copy.replaceAllUsesWith(source);
    kernels.release(launch);
    ++numDropped;
  }
};
} // namespace
