//===- ExpandDeviceMath.cpp - functions of math as arithmetic ------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The pass cuda-expand-math. Kernels use no device library, so that the emulator computes the same
/// results as a GPU. Functions become the same arithmetic as on CPUs. A function without an
/// expansion, such as the sine of f64, is an error.
///
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "tssa/Conversion/ExpandMath.h"
#include "tssa/Support/Unsupported.h"
#include "tssa/Target/CUDA.h"
#include "tssa/Target/CUDA/Passes.h"

using namespace mlir;

namespace tssa::cuda {
#define GEN_PASS_DEF_EXPANDDEVICEMATH
#include "tssa/Target/CUDA/Passes.h.inc"

namespace {

/// Whether one or a few instructions compute `op`.
bool isInstruction(Operation *op) {
  if (!isa<math::MathDialect>(op->getDialect()))
    return !isa<arith::RemFOp>(op);
  return isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp, math::CountLeadingZerosOp,
             math::CountTrailingZerosOp, math::CtPopOp, math::FloorOp, math::FmaOp,
             math::IsFiniteOp, math::IsInfOp, math::IsNaNOp, math::IsNormalOp, math::RoundEvenOp,
             math::RoundOp, math::RsqrtOp, math::SqrtOp, math::TruncOp>(op);
}

struct ExpandDeviceMath : impl::ExpandDeviceMathBase<ExpandDeviceMath> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateApproximations(patterns);
    populateDoubleFunctions(patterns);
    populateDoublePowers(patterns);
    populateLargeAngles(patterns);
    populateRemainder(patterns);
    populateNarrowingPatterns(patterns);
    GreedyRewriteConfig config;
    config.enableFolding(false).enableConstantCSE(false);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      return signalPassFailure();
    bool refused = false;
    getOperation().walk([&](Operation *op) {
      if (isInstruction(op))
        return;
      auto kernel = op->getParentOfType<FunctionOpInterface>();
      emitUnsupported(op) << "kernel '" << kernel.getName() << "': '" << op->getName() << "' on "
                          << getElementTypeOrSelf(op->getResult(0).getType())
                          << " has no expansion for devices";
      refused = true;
    });
    if (refused)
      signalPassFailure();
  }
};

} // namespace

} // namespace tssa::cuda
