//===- HostToLLVM.cpp - the host program becomes native code -------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The pass convert-host-to-llvm, in three steps:
/// 1. Loops that launch nothing get an op that checks whether the run was cancelled.
/// 2. Structured control flow becomes blocks, so that an error can leave the program.
/// 3. `HostEmitter` writes `@tssa_run`, and `convertPlan` writes `@tssa_plan`.
///
//===----------------------------------------------------------------------===//

#include "HostEmitter.h"
#include "Plan.h"
#include "dialects/te/IR/Program.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/DialectConversion.h"
#include "tssa/Conversion/Passes.h"

using namespace mlir;
using namespace mlir::tssa;

namespace tssa {
#define GEN_PASS_DEF_CONVERTHOSTTOLLVM
#include "tssa/Conversion/Passes.h.inc"

namespace {

/// Adds a poll to each loop that launches nothing. Such a loop would never notice that its caller
/// has cancelled the run.
void addPolls(func::FuncOp function) {
  function.walk([](LoopLikeOpInterface loop) {
    Block &body = loop.getLoopRegions().back()->front();
    bool launches = llvm::any_of(body, [](Operation &op) { return isa<te::LaunchOp>(op); });
    if (launches)
      return;
    OpBuilder builder = OpBuilder::atBlockBegin(&body);
    te::PollOp::create(builder, loop.getLoc());
  });
}

LogicalResult lowerControlFlow(func::FuncOp function) {
  RewritePatternSet patterns(function.getContext());
  populateSCFToControlFlowConversionPatterns(patterns);
  populateAffineToStdConversionPatterns(patterns);
  ConversionTarget target(*function.getContext());
  target.addIllegalDialect<scf::SCFDialect, affine::AffineDialect>();
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  return applyPartialConversion(function, target, std::move(patterns));
}

struct ConvertHostToLLVM : impl::ConvertHostToLLVMBase<ConvertHostToLLVM> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto main = module.lookupSymbol<func::FuncOp>("main");
    auto plan = module.lookupSymbol<func::FuncOp>("plan");
    if (!main || !plan) {
      module.emitError("expected functions '@main' and '@plan'");
      return signalPassFailure();
    }
    addPolls(main);
    NodeTable nodes(te::getTable<te::NodeAttr>(module));
    nodes.numberLaunches(main);
    if (failed(lowerControlFlow(main)) || failed(lowerControlFlow(plan)) ||
        failed(HostEmitter(module, main, nodes, device).run()) || failed(convertPlan(plan)))
      return signalPassFailure();
    main.erase();
    te::setTable<te::NodeAttr>(module, nodes.getNodes());
    te::setTable<te::LaunchRecordAttr>(module, nodes.getLaunches());
  }
};

} // namespace

} // namespace tssa
