//===- ExpandMath.cpp - functions of math as instructions ----------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The pass cpu-expand-math. Compiled code has no math library to call. Functions on f16 and bf16
/// are computed in f32. Functions on f32 and f64, and on vectors of these, become polynomials. A
/// few functions on f64, and remainders with a large quotient, call `tssa_host::math` for one
/// element at a time. AVX-512 multiplies by a power of two in one instruction. A product with a
/// reciprocal becomes a division, which is as fast. Maxima and minima become the machine's
/// instructions.
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
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Threading.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "tssa/Target/CPU.h"
#include "tssa/Target/CPU/Passes.h"
#include "tssa/abi.h"

using namespace mlir;

namespace tssa::cpu {
#define GEN_PASS_DEF_EXPANDMATH
#include "tssa/Target/CPU/Passes.h.inc"

namespace {

/// Holds `tssa_host::math`; see lib/Externs/Host.cpp.
constexpr const char *mathGlobal = "tssa_math";

/// Calls the math function `function` of the host on `x` and `y`, which are doubles.
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

/// Replaces an operation on f32 or f64, or on vectors of these, by calls of the host's math
/// functions.
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
  addHostCall<math::SinOp>(patterns, TSSA_MATH_SIN);
  addHostCall<math::CosOp>(patterns, TSSA_MATH_COS);
  addHostCall<math::TanOp>(patterns, TSSA_MATH_TAN);
  addHostCall<arith::RemFOp>(patterns, TSSA_MATH_FMOD);
}

/// The rounding operand of an instruction. This value selects the rounding mode of the thread.
constexpr int64_t roundsAsSet = 4;

Value makeInteger(OpBuilder &builder, Location loc, unsigned width, int64_t value) {
  return LLVM::ConstantOp::create(builder, loc,
                                  builder.getIntegerAttr(builder.getIntegerType(width), value));
}

/// Builds the AVX-512 instruction that computes m * 2^floor(n), on scalars and on vectors of 4, 8
/// or 16 elements. Returns null for other vectors.
Value buildScale(OpBuilder &builder, Location loc, Value m, Value n) {
  auto type = dyn_cast<VectorType>(m.getType());
  auto inFour = VectorType::get(4, builder.getF32Type());
  auto call = [&](StringRef form, VectorType type, ValueRange operands) -> Value {
    auto name = builder.getStringAttr("llvm.x86.avx512.mask.scalef." + form);
    return LLVM::CallIntrinsicOp::create(builder, loc, type, name, operands).getResult(0);
  };
  Value everyLane = makeInteger(builder, loc, 8, -1);
  Value rounding = makeInteger(builder, loc, 32, roundsAsSet);
  if (!type) {
    Value zero = LLVM::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(0));
    Value unset = LLVM::PoisonOp::create(builder, loc, inFour);
    auto widen = [&](Value value) -> Value {
      return LLVM::InsertElementOp::create(builder, loc, unset, value, zero);
    };
    m = widen(m);
    Value scaled = call("ss", inFour, {m, widen(n), m, everyLane, rounding});
    return LLVM::ExtractElementOp::create(builder, loc, scaled, zero);
  }
  if (type.isScalable() || type.getRank() != 1)
    return {};
  switch (type.getNumElements()) {
  case 16:
    return call("ps.512", type, {m, n, m, makeInteger(builder, loc, 16, -1), rounding});
  case 8:
    return call("ps.256", type, {m, n, m, everyLane});
  case 4:
    return call("ps.128", type, {m, n, m, everyLane});
  default:
    return {};
  }
}

/// Replaces x * (1 / d) by x / d, which rounds only once. The reciprocal must be in the same block
/// as the product and have no other use; otherwise iterations or other ops share it.
struct DivideOnce : OpRewritePattern<arith::MulFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::MulFOp op, PatternRewriter &rewriter) const override {
    for (unsigned i : {0, 1}) {
      auto division = op->getOperand(i).getDefiningOp<arith::DivFOp>();
      if (!division || !matchPattern(division.getLhs(), m_OneFloat()) || !division->hasOneUse() ||
          division->getBlock() != op->getBlock())
        continue;
      rewriter.replaceOpWithNewOp<arith::DivFOp>(op, op->getOperand(1 - i), division.getRhs());
      rewriter.eraseOp(division);
      return success();
    }
    return failure();
  }
};

bool isNumber(Value value) {
  FloatAttr element;
  DenseElementsAttr elements;
  if (matchPattern(value, m_Constant(&elements)) && elements.isSplat())
    return !elements.getSplatValue<APFloat>().isNaN();
  return matchPattern(value, m_Constant(&element)) && !element.getValue().isNaN();
}

/// Expands maxima and minima of vectors, in the form in which they propagate NaN. The instruction
/// returns its second operand if either operand is NaN. So the first operand of the op, usually the
/// accumulator, becomes the second operand of the instruction. Then only the other operand has to
/// be tested for NaN, unless it is a constant number.
template <typename Op> struct KeepNaN : OpRewritePattern<Op> {
  StringRef name;
  bool avx512;
  KeepNaN(MLIRContext *context, StringRef name, bool avx512)
      : OpRewritePattern<Op>(context), name(name), avx512(avx512) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    if (!type || type.isScalable() || type.getRank() != 1 || !type.getElementType().isF32())
      return failure();
    Value accumulator = op.getLhs(), next = op.getRhs();
    if (isNumber(accumulator))
      std::swap(accumulator, next);
    Location loc = op.getLoc();
    SmallVector<Value> operands = {next, accumulator};
    StringRef form;
    switch (type.getNumElements()) {
    case 16:
      if (!avx512)
        return failure();
      form = "avx512.";
      operands.push_back(makeInteger(rewriter, loc, 32, roundsAsSet));
      break;
    case 8:
      form = "avx.";
      break;
    case 4:
      form = "sse.";
      break;
    default:
      return failure();
    }
    std::string suffix = type.getNumElements() == 16  ? ".ps.512"
                         : type.getNumElements() == 8 ? ".ps.256"
                                                      : ".ps";
    auto callee = rewriter.getStringAttr("llvm.x86." + form + name + suffix);
    Value result =
        LLVM::CallIntrinsicOp::create(rewriter, loc, type, callee, operands).getResult(0);
    if (!isNumber(next)) {
      Value isNaN = arith::CmpFOp::create(rewriter, loc, arith::CmpFPredicate::UNO, next, next);
      result = arith::SelectOp::create(rewriter, loc, isNaN, next, result);
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

template <typename Op> void addKeepNaN(RewritePatternSet &patterns, StringRef name, bool avx512) {
  patterns.add(std::make_unique<KeepNaN<Op>>(patterns.getContext(), name, avx512));
}

struct ExpandMath : impl::ExpandMathBase<ExpandMath> {
  using Base::Base;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    MathInstructions instructions;
    if (avx512)
      instructions.scale = buildScale;
    populateApproximations(patterns, instructions);
    populateLargeAngles(patterns);
    populateDoubleFunctions(patterns);
    populateDoubleAngles(patterns);
    populateDoublePowers(patterns);
    patterns.add<DivideOnce>(&getContext());
    addKeepNaN<arith::MaximumFOp>(patterns, "max", avx512);
    addKeepNaN<arith::MinimumFOp>(patterns, "min", avx512);
    populateNarrowingPatterns(patterns);
    addHostCalls(patterns);
    FrozenRewritePatternSet frozen(std::move(patterns));
    GreedyRewriteConfig config;
    config.enableFolding(false).enableConstantCSE(false);
    auto expand = [&](func::FuncOp function) {
      return applyPatternsGreedily(function, frozen, config);
    };
    auto functions = llvm::to_vector(getOperation().getOps<func::FuncOp>());
    if (failed(failableParallelForEach(&getContext(), functions, expand)))
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

} // namespace tssa::cpu
