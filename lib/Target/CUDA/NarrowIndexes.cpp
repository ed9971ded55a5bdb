//===- NarrowIndexes.cpp - indexes of 32 bits where ranges prove it -------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The pass cuda-narrow-indexes. The registers of a GPU have 32 bits. A division of 64 bits takes
/// ten instructions or more, even by a constant, and an addition or a comparison takes two. So what
/// divisions, comparisons and choices between indexes are computed from gets a form of 32 bits, if
/// it is proved to fit. Other additions and multiplications are parts of addresses, which have 64
/// bits, and LLVM moves these out of loops.
///
//===----------------------------------------------------------------------===//

#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"
#include "mlir/Analysis/DataFlow/Utils.h"
#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tssa/Target/CUDA.h"
#include "tssa/Target/CUDA/Passes.h"

using namespace mlir;

namespace tssa::cuda {
#define GEN_PASS_DEF_NARROWINDEXES
#include "tssa/Target/CUDA/Passes.h.inc"

namespace {

class IndexNarrower {
public:
  explicit IndexNarrower(const DataFlowSolver &solver) : solver(solver) {}

  void run(Operation *root) {
    SmallVector<Operation *> found;
    root->walk([&](Operation *op) {
      if (isRoot(op) && canNarrow(op))
        found.push_back(op);
    });
    llvm::for_each(found, [&](Operation *op) { replace(op); });
    for (Operation *op : llvm::reverse(found))
      if (isOpTriviallyDead(op))
        op->erase();
  }

private:
  /// Returns whether `value` is an index whose range is known and fits into 32 bits with a sign.
  bool fits(Value value) const {
    if (narrow.contains(value))
      return true;
    auto *state = solver.lookupState<dataflow::IntegerValueRangeLattice>(value);
    if (!value.getType().isIndex() || !state || state->getValue().isUninitialized())
      return false;
    const ConstantIntRanges &range = state->getValue().getValue();
    return range.smin().isSignedIntN(32) && range.smax().isSignedIntN(32);
  }

  static bool isRoot(Operation *op) {
    return isa<arith::DivUIOp, arith::DivSIOp, arith::RemUIOp, arith::RemSIOp, arith::CmpIOp,
               arith::SelectOp>(op);
  }

  bool canNarrow(Operation *op) const {
    bool isSelect = isa<arith::SelectOp>(op);
    if (!isRoot(op) && !isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
      return false;
    return llvm::all_of(op->getOperands().drop_front(isSelect ? 1 : 0),
                        [&](Value value) { return fits(value); }) &&
           (isa<arith::CmpIOp>(op) || fits(op->getResult(0)));
  }

  /// Returns the form of 32 bits of `value`, which fits. It stands behind the definition of it.
  Value getNarrow(Value value) {
    auto [it, isNew] = narrow.try_emplace(value);
    if (!isNew)
      return it->second;
    Operation *op = value.getDefiningOp();
    Value result;
    if (op && canNarrow(op)) {
      result = build(op);
    } else {
      OpBuilder builder(value.getContext());
      builder.setInsertionPointAfterValue(value);
      result = arith::IndexCastOp::create(builder, value.getLoc(), builder.getI32Type(), value);
    }
    return narrow[value] = result;
  }

  bool areNonNegative(ValueRange values) const {
    return llvm::all_of(values, [&](Value value) {
      auto *state = solver.lookupState<dataflow::IntegerValueRangeLattice>(value);
      return state && !state->getValue().isUninitialized() &&
             state->getValue().getValue().smin().isNonNegative();
    });
  }

  /// Builds the same operation on numbers of 32 bits. None overflows, since its result fits. A
  /// division without signs is cheaper.
  Value build(Operation *op) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(operand.getType().isIndex() ? getNarrow(operand) : operand);
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    if (isa<arith::DivSIOp>(op) && areNonNegative(op->getOperands()))
      return arith::DivUIOp::create(builder, op->getLoc(), operands[0], operands[1]);
    if (isa<arith::RemSIOp>(op) && areNonNegative(op->getOperands()))
      return arith::RemUIOp::create(builder, op->getLoc(), operands[0], operands[1]);
    Operation *built = builder.clone(*op);
    built->setOperands(operands);
    if (!isa<arith::CmpIOp>(op))
      built->getResult(0).setType(builder.getI32Type());
    return built->getResult(0);
  }

  /// Replaces a root, of which only the form of 32 bits is needed.
  void replace(Operation *op) {
    Value result = op->getResult(0);
    if (!result.getType().isIndex())
      return result.replaceAllUsesWith(build(op));
    Value built = getNarrow(result);
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfterValue(built);
    Value wide = arith::IndexCastOp::create(builder, op->getLoc(), result.getType(), built);
    result.replaceAllUsesWith(wide);
    narrow[wide] = built;
  }

  const DataFlowSolver &solver;
  DenseMap<Value, Value> narrow; ///< the form of 32 bits of a value
};

struct NarrowIndexes : impl::NarrowIndexesBase<NarrowIndexes> {
  void runOnOperation() override {
    DataFlowSolver solver;
    dataflow::loadBaselineAnalyses(solver);
    solver.load<dataflow::IntegerRangeAnalysis>();
    if (failed(solver.initializeAndRun(getOperation())))
      return signalPassFailure();
    IndexNarrower(solver).run(getOperation());
  }
};

} // namespace

} // namespace tssa::cuda
