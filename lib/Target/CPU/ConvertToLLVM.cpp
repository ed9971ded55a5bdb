//===- ConvertToLLVM.cpp - kernels and host program to the LLVM dialect --===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The pass cpu-convert-to-llvm. One conversion with the patterns of all dialects walks each
/// function once. Each function is converted in a module of its own, because conversions of
/// functions in one module would change the same list of functions at the same time.
///
//===----------------------------------------------------------------------===//

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Threading.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/DialectConversion.h"
#include "tssa/Target/CPU/Passes.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace tssa::cpu {
#define GEN_PASS_DEF_CONVERTTOLLVM
#include "tssa/Target/CPU/Passes.h.inc"

namespace {

/// Adds what takes operations on vectors of several dims to vectors of one.
void addVectorLowering(RewritePatternSet &patterns) {
  vector::populateVectorTransferLoweringPatterns(patterns);
  vector::populateVectorBitCastLoweringPatterns(patterns);
  vector::populateVectorBroadcastLoweringPatterns(patterns);
  vector::populateVectorMaskOpLoweringPatterns(patterns);
  vector::populateVectorShapeCastLoweringPatterns(patterns);
  vector::populateVectorTransposeLoweringPatterns(patterns,
                                                  vector::VectorTransposeLowering::EltWise);
  vector::populateVectorMaskMaterializationPatterns(patterns, /*force32BitVectorIndices=*/false);
  vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
  vector::populateVectorStepLoweringPatterns(patterns);
  vector::populateVectorRankReducingFMAPattern(patterns);
  vector::populateVectorGatherLoweringPatterns(patterns);
}

FrozenRewritePatternSet makePatterns(const LLVMTypeConverter &converter) {
  RewritePatternSet patterns(&converter.getContext());
  addVectorLowering(patterns);
  populateVectorToLLVMConversionPatterns(converter, patterns, /*reassociateFPReductions=*/false);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  populateMathToLLVMConversionPatterns(converter, patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
  index::populateIndexToLLVMConversionPatterns(converter, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  cf::populateAssertToLLVMConversionPattern(converter, patterns);
  populateFuncToLLVMConversionPatterns(converter, patterns);
  ub::populateUBToLLVMConversionPatterns(converter, patterns);
  return FrozenRewritePatternSet(std::move(patterns));
}

/// Moves the functions and globals of a module to modules of their own, and back in the same order.
class Separation {
public:
  explicit Separation(ModuleOp module) : module(module) {
    for (Operation &op : llvm::make_early_inc_range(*module.getBody())) {
      ops.push_back(&op);
      if (op.hasTrait<OpTrait::SymbolTable>() || !isa<SymbolOpInterface>(op))
        continue;
      ModuleOp own = ModuleOp::create(op.getLoc());
      op.moveBefore(own.getBody(), own.getBody()->end());
      ops.back() = own;
      parts.emplace_back(own);
    }
  }

  MutableArrayRef<OwningOpRef<ModuleOp>> getParts() { return parts; }

  /// Returns all operations to the module. What several functions declare is declared once.
  void join() {
    Block *body = module.getBody();
    llvm::StringSet<> known;
    for (Operation *op : ops) {
      if (op->getBlock() == body) {
        op->moveBefore(body, body->end());
        continue;
      }
      for (Operation &made : llvm::make_early_inc_range(*cast<ModuleOp>(op).getBody())) {
        bool isNew = known.insert(SymbolTable::getSymbolName(&made)).second;
        auto function = dyn_cast<FunctionOpInterface>(made);
        if (isNew || !function || !function.isExternal())
          made.moveBefore(body, body->end());
      }
    }
    parts.clear();
  }

private:
  ModuleOp module;
  SmallVector<Operation *> ops;
  std::vector<OwningOpRef<ModuleOp>> parts;
};

/// Returns vectors of integers in place of vectors of bf16, or null for any other type.
Type getIntegers(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector || !vector.getElementType().isBF16())
    return {};
  return vector.clone(IntegerType::get(type.getContext(), 16));
}

/// Makes `op`, which moves lanes, see vectors of bf16 as integers. Without instructions for bf16,
/// LLVM takes some of these ops apart, and would widen each lane and call __truncsfbf2 to narrow
/// it.
void useIntegers(Operation *op) {
  OpBuilder builder(op);
  for (OpOperand &operand : op->getOpOperands())
    if (Type integers = getIntegers(operand.get().getType()))
      operand.set(LLVM::BitcastOp::create(builder, op->getLoc(), integers, operand.get()));
  builder.setInsertionPointAfter(op);
  for (Value result : op->getResults())
    if (Type type = result.getType(), integers = getIntegers(type); integers) {
      result.setType(integers);
      auto floats = LLVM::BitcastOp::create(builder, op->getLoc(), type, result);
      result.replaceAllUsesExcept(floats, floats);
    }
}

void moveLanesAsIntegers(ModuleOp module) {
  module.walk([](Operation *op) {
    if (isa<LLVM::MaskedLoadOp, LLVM::MaskedStoreOp, LLVM::masked_gather, LLVM::masked_scatter,
            LLVM::SelectOp, LLVM::ShuffleVectorOp>(op))
      useIntegers(op);
  });
}

struct ConvertToLLVM : impl::ConvertToLLVMBase<ConvertToLLVM> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    LLVMTypeConverter converter(context, LowerToLLVMOptions(context));
    LLVMConversionTarget target(*context);
    FrozenRewritePatternSet patterns = makePatterns(converter);
    Separation separation(getOperation());
    auto convert = [&](OwningOpRef<ModuleOp> &part) {
      LogicalResult converted = applyPartialConversion(*part, target, patterns);
      if (succeeded(converted))
        moveLanesAsIntegers(*part);
      return converted;
    };
    LogicalResult converted = failableParallelForEach(context, separation.getParts(), convert);
    separation.join();
    if (failed(converted))
      signalPassFailure();
  }
};

} // namespace

} // namespace tssa::cpu
