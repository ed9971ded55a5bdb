//===- Plan.cpp - the bytes that a run will need -------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/IRMapping.h"
#include "tssa/abi.h"

#include <cmath>

using namespace mlir;

namespace tssa {
namespace {

/// Clones arithmetic on integers and floats with checks. `failed` is an i1 that says whether any result so far is
/// invalid.
class CheckedArithmetic {
public:
  CheckedArithmetic(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {
    failed = arith::ConstantIntOp::create(builder, loc, 0, 1);
  }

  IRMapping values;
  Value failed;

  void addFailure(Value condition) {
    failed = arith::OrIOp::create(builder, loc, failed, condition);
  }

  Value isEqual(Value value, int64_t constant) {
    Value other =
        arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(value.getType(), constant));
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, value, other);
  }

  void visit(Operation *op) {
    if (isa<arith::AddIOp>(op))
      return visitOverflowing<LLVM::SAddWithOverflowOp>(op);
    if (isa<arith::SubIOp>(op))
      return visitOverflowing<LLVM::SSubWithOverflowOp>(op);
    if (isa<arith::MulIOp>(op))
      return visitOverflowing<LLVM::SMulWithOverflowOp>(op);
    if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::CeilDivSIOp,
            arith::CeilDivUIOp, arith::FloorDivSIOp>(op))
      return visitDivision(op);
    if (isa<arith::FPToSIOp>(op))
      return visitRounding(op);
    builder.clone(*op, values);
  }

private:
  OpBuilder &builder;
  Location loc;

  template <typename Intrinsic> void visitOverflowing(Operation *op) {
    Type type = op->getResult(0).getType(), i64 = builder.getI64Type();
    auto pair = LLVM::LLVMStructType::getLiteral(builder.getContext(), {i64, builder.getI1Type()});
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      Value value = values.lookup(operand);
      operands.push_back(type.isIndex()
                             ? arith::IndexCastOp::create(builder, loc, i64, value).getResult()
                             : value);
    }
    Value both = Intrinsic::create(builder, loc, pair, operands[0], operands[1]);
    Value result = LLVM::ExtractValueOp::create(builder, loc, both, 0);
    addFailure(LLVM::ExtractValueOp::create(builder, loc, both, 1));
    if (type.isIndex())
      result = arith::IndexCastOp::create(builder, loc, type, result);
    values.map(op->getResult(0), result);
  }

  /// A float that is no number or has no place among the integers is a failure.
  void visitRounding(Operation *op) {
    Value value = values.lookup(op->getOperand(0));
    auto constant = [&](double number) -> Value {
      return arith::ConstantOp::create(builder, loc, builder.getFloatAttr(value.getType(), number));
    };
    // The bounds are the negation of each other as floats; the lower one is an integer of the type.
    double bound = std::ldexp(1.0, op->getResult(0).getType().getIntOrFloatBitWidth() - 1);
    Value isAbove = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGE, value,
                                          constant(-bound));
    Value isBelow =
        arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, value, constant(bound));
    Value isInside = arith::AndIOp::create(builder, loc, isAbove, isBelow);
    Value yes = arith::ConstantIntOp::create(builder, loc, 1, 1);
    addFailure(arith::XOrIOp::create(builder, loc, isInside, yes));
    IRMapping mapping = values;
    mapping.map(op->getOperand(0),
                arith::SelectOp::create(builder, loc, isInside, value, constant(0)));
    values.map(op->getResult(0), builder.clone(*op, mapping)->getResult(0));
  }

  void visitDivision(Operation *op) {
    Value divisor = values.lookup(op->getOperand(1));
    Value undefined = arith::OrIOp::create(builder, loc, isEqual(divisor, 0), isEqual(divisor, -1));
    addFailure(undefined);
    Value one =
        arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(divisor.getType(), 1));
    Value safe = arith::SelectOp::create(builder, loc, undefined, one, divisor);
    IRMapping mapping = values;
    mapping.map(op->getOperand(1), safe);
    values.map(op->getResult(0), builder.clone(*op, mapping)->getResult(0));
  }
};

} // namespace

LogicalResult convertPlan(func::FuncOp plan) {
  OpBuilder builder(plan);
  Location loc = plan.getLoc();
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext()), i32 = builder.getI32Type();
  Type i64 = builder.getI64Type();
  auto function = func::FuncOp::create(builder, loc, "tssa_plan",
                                       builder.getFunctionType({pointer, pointer}, i32));
  Block *block = function.addEntryBlock();
  builder.setInsertionPointToStart(block);
  CheckedArithmetic arithmetic(builder, loc);
  for (BlockArgument symbol : plan.getArguments()) {
    Value address = LLVM::GEPOp::create(builder, loc, pointer, i64, block->getArgument(0),
                                        ArrayRef<LLVM::GEPArg>{int32_t(symbol.getArgNumber())});
    Value size = LLVM::LoadOp::create(builder, loc, i64, address);
    arithmetic.values.map(symbol,
                          arith::IndexCastOp::create(builder, loc, builder.getIndexType(), size));
  }
  Block &body = plan.getBody().front();
  for (Operation &op : body.without_terminator()) {
    bool isArithmetic = op.getNumRegions() == 0 && isPure(&op) && !isa<arith::FPToUIOp>(op);
    if (!isArithmetic || !llvm::all_of(op.getResultTypes(), [](Type type) {
          return type.isIntOrIndex() || type.isF64();
        }))
      return op.emitError("expected arithmetic on integers and f64 in '@plan', got '")
             << op.getName() << "'";
    arithmetic.visit(&op);
  }
  Value bytes = arith::IndexCastOp::create(
      builder, loc, i64, arithmetic.values.lookup(body.getTerminator()->getOperand(0)));
  Value zero = arith::ConstantIntOp::create(builder, loc, 0, 64);
  arithmetic.addFailure(
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, bytes, zero));
  LLVM::StoreOp::create(builder, loc,
                        arith::SelectOp::create(builder, loc, arithmetic.failed, zero, bytes),
                        block->getArgument(1));
  Value ok = arith::ConstantIntOp::create(builder, loc, TSSA_OK, 32);
  Value code = arith::ConstantIntOp::create(builder, loc, TSSA_OUT_OF_MEMORY, 32);
  func::ReturnOp::create(
      builder, loc, ValueRange{arith::SelectOp::create(builder, loc, arithmetic.failed, code, ok)});
  plan.erase();
  return success();
}

} // namespace tssa
