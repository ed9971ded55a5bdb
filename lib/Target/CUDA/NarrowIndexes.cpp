//===- NarrowIndexes.cpp - indexes of 32 bits where ranges prove it -------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The pass cuda-narrow-indexes. The registers of a GPU have 32 bits. A division of 64 bits takes
/// ten instructions or more, even by a constant, and a comparison takes two. Additions and
/// multiplications stay as they are: most of them are parts of addresses, which have 64 bits, and
/// LLVM moves them out of loops.
///
//===----------------------------------------------------------------------===//

#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"
#include "mlir/Analysis/DataFlow/Utils.h"
#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "tssa/Target/CUDA.h"
#include "tssa/Target/CUDA/Passes.h"

using namespace mlir;

namespace tssa::cuda {
#define GEN_PASS_DEF_NARROWINDEXES
#include "tssa/Target/CUDA/Passes.h.inc"

namespace {

using Fits = function_ref<bool(const ConstantIntRanges &)>;

/// Returns whether the operands of `op` are indexes whose ranges are known and fit.
bool haveRanges(const DataFlowSolver &solver, Operation *op, Fits fits) {
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    auto *range = solver.lookupState<dataflow::IntegerValueRangeLattice>(operand);
    return operand.getType().isIndex() && range && !range->getValue().isUninitialized() &&
           fits(range->getValue().getValue());
  });
}

bool fitsUnsigned(const ConstantIntRanges &range) { return range.umax().isIntN(32); }

bool fitsSigned(const ConstantIntRanges &range) {
  return range.smin().isSignedIntN(32) && range.smax().isSignedIntN(32);
}

/// Replaces a division or remainder. Operands of a signed one are not negative.
template <typename NarrowOp> void narrowDivision(Operation *op) {
  OpBuilder builder(op);
  auto cast = [&](Type type, Value value) -> Value {
    return arith::IndexCastUIOp::create(builder, op->getLoc(), type, value);
  };
  Value lhs = cast(builder.getI32Type(), op->getOperand(0));
  Value rhs = cast(builder.getI32Type(), op->getOperand(1));
  Value result = NarrowOp::create(builder, op->getLoc(), lhs, rhs);
  op->getResult(0).replaceAllUsesWith(cast(builder.getIndexType(), result));
  op->erase();
}

/// Replaces a comparison. Numbers with a sign have the same order in 32 bits, even if they are
/// compared without their signs.
void narrowComparison(arith::CmpIOp op) {
  OpBuilder builder(op);
  auto cast = [&](Value value) -> Value {
    return arith::IndexCastOp::create(builder, op.getLoc(), builder.getI32Type(), value);
  };
  Value lhs = cast(op.getLhs()), rhs = cast(op.getRhs());
  op.replaceAllUsesWith(
      arith::CmpIOp::create(builder, op.getLoc(), op.getPredicate(), lhs, rhs).getResult());
  op.erase();
}

struct NarrowIndexes : impl::NarrowIndexesBase<NarrowIndexes> {
  void runOnOperation() override {
    DataFlowSolver solver;
    dataflow::loadBaselineAnalyses(solver);
    solver.load<dataflow::IntegerRangeAnalysis>();
    if (failed(solver.initializeAndRun(getOperation())))
      return signalPassFailure();
    SmallVector<Operation *> quotients, remainders;
    SmallVector<arith::CmpIOp> comparisons;
    getOperation().walk([&](Operation *op) {
      if (auto comparison = dyn_cast<arith::CmpIOp>(op)) {
        if (haveRanges(solver, op, fitsSigned))
          comparisons.push_back(comparison);
      } else if (isa<arith::DivUIOp, arith::DivSIOp, arith::RemUIOp, arith::RemSIOp>(op) &&
                 haveRanges(solver, op, fitsUnsigned)) {
        (isa<arith::DivUIOp, arith::DivSIOp>(op) ? quotients : remainders).push_back(op);
      }
    });
    llvm::for_each(quotients, narrowDivision<arith::DivUIOp>);
    llvm::for_each(remainders, narrowDivision<arith::RemUIOp>);
    llvm::for_each(comparisons, narrowComparison);
  }
};

} // namespace

} // namespace tssa::cuda
