//===- PrintTemplate.cpp - prints the roles of dims and the best points -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Template/Space.h"
#include "dialects/layout/Transforms/ConstantOperands.h"
#include "dialects/layout/Transforms/Passes.h"
#include "llvm/Support/Format.h"

namespace mlir::tssa::layout {
#define GEN_PASS_DEF_PRINTTEMPLATE
#include "dialects/layout/Transforms/Passes.h.inc"
} // namespace mlir::tssa::layout

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

namespace {
struct PrintTemplate : layout::impl::PrintTemplateBase<PrintTemplate> {
  using PrintTemplateBase::PrintTemplateBase;

  void runOnOperation() final {
    ConstantOperands constants(getOperation());
    for (auto kernel : getOperation().getOps<te::KernelOp>()) {
      llvm::outs() << "kernel @" << kernel.getSymName() << '\n';
      for (auto compute : kernel.getBodyBlock().getOps<te::ComputeOp>())
        print(compute, constants);
    }
  }

  void print(te::ComputeOp compute, const ConstantOperands &constants) {
    llvm::outs() << "  @" << compute.getLabel().value_or("?") << ' ' << getRoles(compute) << '\n';
    std::vector<RankedPoint> ranked =
        rankPoints(compute, constants.getAccesses(compute), getMachineModel(getOperation()));
    for (auto [rank, entry] : llvm::enumerate(ranked)) {
      if (rank == static_cast<size_t>(points))
        break;
      llvm::outs() << "    " << llvm::format("%.3g", entry.cycles) << " cycles: " << entry.point
                   << '\n';
    }
  }
};
} // namespace
