//===- ExpandMath.cpp - functions of math as instructions ----------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Compiled code has no math library to call. Functions on f16 and bf16 are
/// computed in f32; the common ones on f32 become polynomials, on vectors too;
/// all others go through `tssa_host::math` one element at a time.
///
//===----------------------------------------------------------------------===//

#include "tssa/Conversion/ExpandMath.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "tssa/Target/CPU.h"
#include "tssa/abi.h"

using namespace mlir;

namespace tssa::cpu {
namespace {

/// Holds `tssa_host::math`; see lib/Externs/Host.cpp.
constexpr const char *mathGlobal = "tssa.math";

/// Calls `function` of the host for one pair of doubles.
Value callHost(OpBuilder &builder, Location loc, int32_t function, Value x, Value y) {
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Type f64 = builder.getF64Type(), i32 = builder.getI32Type();
  Value address = LLVM::AddressOfOp::create(builder, loc, pointer, mathGlobal);
  Value callee = LLVM::LoadOp::create(builder, loc, pointer, address);
  Value code = LLVM::ConstantOp::create(builder, loc, i32, builder.getI32IntegerAttr(function));
  auto type = LLVM::LLVMFunctionType::get(f64, {i32, f64, f64});
  return LLVM::CallOp::create(builder, loc, type, ValueRange{callee, code, x, y}).getResult();
}

Value callHostOn(OpBuilder &builder, Location loc, int32_t function, Value x, Value y) {
  Type type = x.getType(), f64 = builder.getF64Type();
  if (type != f64) {
    x = arith::ExtFOp::create(builder, loc, f64, x);
    y = arith::ExtFOp::create(builder, loc, f64, y);
  }
  Value result = callHost(builder, loc, function, x, y);
  return type == f64 ? result : arith::TruncFOp::create(builder, loc, type, result);
}

/// Sends an operation on f32 or f64, or vectors of them, to the host.
template <typename Op> struct CallHost : OpRewritePattern<Op> {
  int32_t function;
  CallHost(MLIRContext *context, int32_t function)
      : OpRewritePattern<Op>(context, /*benefit=*/0), function(function) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    Type element = getElementTypeOrSelf(op.getType());
    if (!element.isF32() && !element.isF64())
      return failure();
    Location loc = op.getLoc();
    Value x = op->getOperand(0), y = op->getOperand(op->getNumOperands() - 1);
    auto vector = dyn_cast<VectorType>(op.getType());
    if (!vector) {
      rewriter.replaceOp(op, callHostOn(rewriter, loc, function, x, y));
      return success();
    }
    if (vector.isScalable())
      return failure();
    Value result = arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(vector));
    SmallVector<int64_t> strides = computeStrides(vector.getShape());
    for (int64_t i = 0, e = vector.getNumElements(); i < e; ++i) {
      SmallVector<int64_t> position = delinearize(i, strides);
      Value lane =
          callHostOn(rewriter, loc, function, vector::ExtractOp::create(rewriter, loc, x, position),
                     vector::ExtractOp::create(rewriter, loc, y, position));
      result = vector::InsertOp::create(rewriter, loc, lane, result, position);
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

template <typename Op> void addHostCall(RewritePatternSet &patterns, int32_t function) {
  patterns.add(std::make_unique<CallHost<Op>>(patterns.getContext(), function));
}

void addHostCalls(RewritePatternSet &patterns) {
  addHostCall<math::ExpOp>(patterns, TSSA_MATH_EXP);
  addHostCall<math::Exp2Op>(patterns, TSSA_MATH_EXP2);
  addHostCall<math::ExpM1Op>(patterns, TSSA_MATH_EXPM1);
  addHostCall<math::LogOp>(patterns, TSSA_MATH_LOG);
  addHostCall<math::Log2Op>(patterns, TSSA_MATH_LOG2);
  addHostCall<math::Log10Op>(patterns, TSSA_MATH_LOG10);
  addHostCall<math::Log1pOp>(patterns, TSSA_MATH_LOG1P);
  addHostCall<math::SinOp>(patterns, TSSA_MATH_SIN);
  addHostCall<math::CosOp>(patterns, TSSA_MATH_COS);
  addHostCall<math::TanOp>(patterns, TSSA_MATH_TAN);
  addHostCall<math::AsinOp>(patterns, TSSA_MATH_ASIN);
  addHostCall<math::AcosOp>(patterns, TSSA_MATH_ACOS);
  addHostCall<math::AtanOp>(patterns, TSSA_MATH_ATAN);
  addHostCall<math::Atan2Op>(patterns, TSSA_MATH_ATAN2);
  addHostCall<math::SinhOp>(patterns, TSSA_MATH_SINH);
  addHostCall<math::CoshOp>(patterns, TSSA_MATH_COSH);
  addHostCall<math::TanhOp>(patterns, TSSA_MATH_TANH);
  addHostCall<math::AsinhOp>(patterns, TSSA_MATH_ASINH);
  addHostCall<math::AcoshOp>(patterns, TSSA_MATH_ACOSH);
  addHostCall<math::AtanhOp>(patterns, TSSA_MATH_ATANH);
  addHostCall<math::ErfOp>(patterns, TSSA_MATH_ERF);
  addHostCall<math::ErfcOp>(patterns, TSSA_MATH_ERFC);
  addHostCall<math::PowFOp>(patterns, TSSA_MATH_POW);
  addHostCall<math::CbrtOp>(patterns, TSSA_MATH_CBRT);
  addHostCall<arith::RemFOp>(patterns, TSSA_MATH_FMOD);
}

struct ExpandMathPass : PassWrapper<ExpandMathPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExpandMathPass)
  StringRef getArgument() const override { return "cpu-expand-math"; }
  StringRef getDescription() const override {
    return "Expand functions of math to instructions or calls of the host";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, LLVM::LLVMDialect, math::MathDialect, scf::SCFDialect,
                    vector::VectorDialect>();
  }

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateApproximations(patterns);
    populateNarrowingPatterns(patterns);
    addHostCalls(patterns);
    GreedyRewriteConfig config;
    config.enableFolding(false).enableConstantCSE(false);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      return signalPassFailure();
    declareHostFunction();
  }

  void declareHostFunction() {
    ModuleOp module = getOperation();
    WalkResult found = module.walk([](LLVM::AddressOfOp op) {
      return op.getGlobalName() == mathGlobal ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (!found.wasInterrupted() || module.lookupSymbol(mathGlobal))
      return;
    OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
    LLVM::GlobalOp::create(builder, module.getLoc(), LLVM::LLVMPointerType::get(&getContext()),
                           /*isConstant=*/false, LLVM::Linkage::External, mathGlobal, Attribute());
  }
};

} // namespace

std::unique_ptr<Pass> createExpandMathPass() { return std::make_unique<ExpandMathPass>(); }

} // namespace tssa::cpu
