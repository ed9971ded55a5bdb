//===- PlanBuffers.cpp - assigns memory to each value of the host program ===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// 1. `EntrySizes` finds the sizes that are known when the program starts.
/// 2. `BufferProgram` finds the values that need memory, their live ranges, and the copies between
///    them.
/// 3. `BufferPlacement` decides which values share a buffer, and lays out the arena.
///    `BufferOwnership` decides when dynamically allocated memory is freed.
/// 4. `BufferRewriter` rewrites the program to memrefs.
///
//===----------------------------------------------------------------------===//

#include "dialects/te/IR/Program.h"
#include "dialects/te/IR/TEOps.h"
#include "dialects/te/Transforms/BufferRewriter.h"
#include "dialects/te/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"

namespace mlir::tssa::te {

#define GEN_PASS_DEF_TEPLANBUFFERS
#include "dialects/te/Transforms/Passes.h.inc"

namespace {

/// Creates the function `@plan`, which computes the size of the arena in bytes from the symbols.
void createPlan(func::FuncOp function, const EntrySymbols &symbols, EntrySizes &sizes,
                Value total) {
  OpBuilder builder(function);
  Type index = builder.getIndexType();
  SmallVector<Type> inputs(symbols.get().size(), index);
  auto plan = func::FuncOp::create(builder, function.getLoc(), "plan",
                                   builder.getFunctionType(inputs, index));
  Block *block = plan.addEntryBlock();
  builder.setInsertionPointToStart(block);
  DenseMap<Value, Value> clones;
  Value bytes = sizes.cloneForSymbols(builder, total, block->getArguments(), clones);
  func::ReturnOp::create(builder, function.getLoc(), bytes);
}

/// Checks that kernels have the windows that the places of their operands and results need.
LogicalResult checkWindows(func::FuncOp function, SymbolTableCollection &tables,
                           const JoinPlaces &places) {
  WalkResult result = function.walk([&](LaunchOp launch) -> WalkResult {
    auto kernel = tables.lookupNearestSymbolFrom<KernelOp>(launch, launch.getKernelAttr());
    bool fits = true;
    for (auto [i, input] : llvm::enumerate(launch.getInputs()))
      fits &= kernel.getArgumentWindow(i) == places.getWindow(input);
    for (auto [i, output] : llvm::enumerate(launch.getResults()))
      fits &= kernel.getResultWindow(i) == places.getWindow(output);
    if (fits)
      return WalkResult::advance();
    return launch.emitOpError("expects the windows of kernel '")
           << launch.getKernel()
           << "' to be those of its operands and results, as te.joins have them";
  });
  return failure(result.wasInterrupted());
}

/// Returns the size of the arena in bytes as text, or "dynamic" if it is not constant.
std::string describeBytes(Value total) {
  APInt bytes;
  return matchPattern(total, m_ConstantInt(&bytes)) ? std::to_string(bytes.getSExtValue())
                                                    : "dynamic";
}

struct PlanBuffersPass : impl::TEPlanBuffersBase<PlanBuffersPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto function = module.lookupSymbol<func::FuncOp>("main");
    if (!function || !function.getBody().hasOneBlock()) {
      module.emitError("expected a host program '@main' with one block");
      return signalPassFailure();
    }
    expandSelects(function);
    EntrySymbols symbols(function);
    EntrySizes sizes(function, symbols);
    SymbolTableCollection tables;
    if (failed(checkLaunches(function, tables)))
      return signalPassFailure();
    auto lookup = [&](LaunchOp launch) {
      return tables.lookupNearestSymbolFrom<KernelOp>(launch, launch.getKernelAttr());
    };
    FailureOr<JoinPlaces> places = JoinPlaces::get(function, lookup);
    if (failed(places) || failed(checkWindows(function, tables, *places)))
      return signalPassFailure();
    BufferProgram program(function, sizes, tables);
    if (failed(program.build()))
      return signalPassFailure();
    SmallVector<RowWrite, 0> rowWrites = findRowWrites(function, bufferAlignment, lookup);
    BufferPlacement placement(program, *places, rowWrites, sizes, hasSeparateBuffers(module));
    Value total = placement.run();
    std::string bytes = describeBytes(total);
    BufferOwnership ownership(program);
    WeightCollector weights(getTable<WeightAttr>(module)); // of another variant, if there is one
    createPlan(function, symbols, sizes, total);
    BufferRewriter rewriter(function, program, *places, placement, ownership, sizes, weights);
    if (failed(rewriter.run()))
      return signalPassFailure();
    sizes.finish();
    setTable<WeightAttr>(module, weights.getWeights());
    numCopies += rewriter.getNumCopies();
    remark::analysis(function.getLoc(), remark::RemarkOpts::name("arena").category(getArgument()))
        << remark::metric("Bytes", bytes) << remark::metric("Copies", rewriter.getNumCopies());
  }
};

} // namespace
} // namespace mlir::tssa::te
