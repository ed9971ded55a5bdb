//===- HostEmitter.cpp - one host program, operation by operation --------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostEmitter.h"
#include "dialects/te/IR/Program.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tssa/abi.h"
#include "llvm/ADT/PostOrderIterator.h"

#include "llvm/ADT/TypeSwitch.h"
#include <cstddef>

using namespace mlir;
using namespace mlir::tssa;

namespace tssa {

//===----------------------------------------------------------------------===//
// Small pieces of LLVM IR
//===----------------------------------------------------------------------===//

Type HostEmitter::pointerType() { return LLVM::LLVMPointerType::get(builder.getContext()); }

Value HostEmitter::constant(Location loc, Type type, int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, type, builder.getIntegerAttr(type, value));
}

Value HostEmitter::index(Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value HostEmitter::toI64(Location loc, Value index) {
  return arith::IndexCastOp::create(builder, loc, builder.getI64Type(), index);
}

Value HostEmitter::toIndex(Location loc, Value i64) {
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(), i64);
}

Value HostEmitter::offset(Location loc, Value pointer, int64_t bytes) {
  if (bytes == 0)
    return pointer;
  return LLVM::GEPOp::create(builder, loc, pointerType(), builder.getI8Type(), pointer,
                             ArrayRef<LLVM::GEPArg>{int32_t(bytes)});
}

Value HostEmitter::load(Location loc, Type type, Value pointer, int64_t bytes) {
  return LLVM::LoadOp::create(builder, loc, type, offset(loc, pointer, bytes));
}

void HostEmitter::store(Location loc, Value value, Value pointer, int64_t bytes) {
  LLVM::StoreOp::create(builder, loc, value, offset(loc, pointer, bytes));
}

Value HostEmitter::toMemory(Location loc, Value scalar) {
  if (scalar.getType().isIndex())
    return toI64(loc, scalar);
  if (scalar.getType().isInteger(1))
    return arith::ExtUIOp::create(builder, loc, builder.getI8Type(), scalar);
  return scalar;
}

Value HostEmitter::allocateScratch(int64_t bytes) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(entry);
  Location loc = main.getLoc();
  return LLVM::AllocaOp::create(builder, loc, pointerType(), builder.getI8Type(),
                                constant(loc, builder.getI64Type(), std::max<int64_t>(bytes, 1)),
                                /*alignment=*/64);
}

void HostEmitter::leaveUnlessZero(Location loc, Value code) {
  Value zero = arith::ConstantIntOp::create(builder, loc, 0, 32);
  Value failed = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, code, zero);
  Block *next = builder.getInsertionBlock()->splitBlock(builder.getInsertionPoint());
  cf::CondBranchOp::create(builder, loc, failed, exit, code, next, ValueRange());
  builder.setInsertionPointToEnd(next);
}

void HostEmitter::failWhen(Location loc, Value failed, int32_t code, StringRef text) {
  Block *next = builder.getInsertionBlock()->splitBlock(builder.getInsertionPoint());
  Block *report = builder.createBlock(next);
  Type i32 = builder.getI32Type();
  Value returned =
      routines.call(builder, loc, "tssa_host_fail", i32,
                    {host, constant(loc, i32, code), constant(loc, i32, nodes.getNode(loc)),
                     routines.getText(builder, loc, text)});
  cf::BranchOp::create(builder, loc, exit, returned);
  builder.setInsertionPointToEnd(report->getPrevNode());
  cf::CondBranchOp::create(builder, loc, failed, report, next);
  builder.setInsertionPointToEnd(next);
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

void HostEmitter::createFunction() {
  Type pointer = pointerType(), i32 = builder.getI32Type();
  function =
      func::FuncOp::create(builder, main.getLoc(), "tssa_run",
                           builder.getFunctionType({pointer, pointer, pointer, pointer}, i32));
  entry = function.addEntryBlock();
  host = entry->getArgument(0);
  arguments = entry->getArgument(1);
  results = entry->getArgument(2);
  exit = builder.createBlock(&function.getBody(), function.getBody().end(), i32, main.getLoc());
  func::ReturnOp::create(builder, main.getLoc(), exit->getArgument(0));
}

/// For each block of the program, creates a block of the new function. Each argument that is a
/// memref becomes a pointer and its dynamic sizes.
LogicalResult HostEmitter::createBlocks() {
  for (Block &block : main.getBody()) {
    if (block.isEntryBlock())
      continue;
    Block *twin = builder.createBlock(exit);
    blocks[&block] = twin;
    for (BlockArgument argument : block.getArguments()) {
      auto type = dyn_cast<MemRefType>(argument.getType());
      if (!type) {
        values.map(argument, twin->addArgument(argument.getType(), argument.getLoc()));
        continue;
      }
      Buffer &buffer = buffers[argument];
      buffer.pointer = twin->addArgument(pointerType(), argument.getLoc());
      for (int64_t i = 0, e = type.getNumDynamicDims(); i < e; ++i)
        buffer.dynamicSizes.push_back(twin->addArgument(builder.getIndexType(), argument.getLoc()));
    }
  }
  return success();
}

void HostEmitter::loadArguments() {
  Location loc = main.getLoc();
  Type i64 = builder.getI64Type();
  routines.call(builder, loc, "tssa_host_begin", nullptr, {host});
  for (auto [i, argument] : llvm::enumerate(main.getArguments())) {
    Buffer &buffer = buffers[argument];
    if (te::isWeights(main, i)) {
      buffer.pointer = load(loc, pointerType(), host, offsetof(tssa_host, weights));
      continue;
    }
    if (te::isArena(main, i)) {
      buffer.pointer = entry->getArgument(3);
      continue;
    }
    Value tensor = offset(loc, arguments, i * sizeof(tssa_tensor));
    buffer.pointer = routines.call(builder, loc, "tssa_host_data", pointerType(), {tensor});
    auto type = cast<MemRefType>(argument.getType());
    if (type.hasStaticShape())
      continue;
    Value shape = load(loc, pointerType(), tensor, offsetof(tssa_tensor, shape));
    for (auto [dim, size] : llvm::enumerate(type.getShape()))
      if (ShapedType::isDynamic(size))
        buffer.dynamicSizes.push_back(toIndex(loc, load(loc, i64, shape, 8 * dim)));
  }
}

LogicalResult HostEmitter::run() {
  createFunction();
  if (failed(createBlocks()))
    return failure();
  // The scratch memory must be large enough for its largest use. This size is known only at the
  // end.
  context = allocateScratch(0);
  shapes = allocateScratch(0);
  tensors = allocateScratch(0);
  builder.setInsertionPointToEnd(entry);
  loadArguments();
  llvm::ReversePostOrderTraversal<Block *> order(&main.getBody().front());
  for (Block *block : order) {
    if (!block->isEntryBlock())
      builder.setInsertionPointToEnd(blocks[block]);
    for (Operation &op : *block)
      if (failed(emit(&op)))
        return failure();
  }
  auto setSize = [&](Value scratch, int64_t bytes) {
    auto size = scratch.getDefiningOp<LLVM::AllocaOp>().getArraySize();
    size.getDefiningOp<LLVM::ConstantOp>().setValueAttr(
        builder.getI64IntegerAttr(std::max<int64_t>(bytes, 1)));
  };
  setSize(context, contextBytes);
  setSize(shapes, 8 * shapeCount);
  setSize(tensors, tensorCount * sizeof(tssa_tensor));
  return success();
}

LogicalResult HostEmitter::expand(ValueRange operands, SmallVectorImpl<Value> &expanded,
                                  Block *target) {
  for (Value operand : operands) {
    if (!isa<MemRefType>(operand.getType())) {
      expanded.push_back(values.lookup(operand));
      continue;
    }
    const Buffer &buffer = buffers[operand];
    expanded.push_back(buffer.pointer);
    expanded.append(buffer.dynamicSizes);
  }
  return success();
}

LogicalResult HostEmitter::emitBranch(Operation *op) {
  if (auto branch = dyn_cast<cf::BranchOp>(op)) {
    SmallVector<Value> operands;
    if (failed(expand(branch.getDestOperands(), operands, branch.getDest())))
      return failure();
    cf::BranchOp::create(builder, op->getLoc(), blocks[branch.getDest()], operands);
    return success();
  }
  if (auto branch = dyn_cast<cf::CondBranchOp>(op)) {
    SmallVector<Value> trueOperands, falseOperands;
    if (failed(expand(branch.getTrueDestOperands(), trueOperands, branch.getTrueDest())) ||
        failed(expand(branch.getFalseDestOperands(), falseOperands, branch.getFalseDest())))
      return failure();
    cf::CondBranchOp::create(builder, op->getLoc(), values.lookup(branch.getCondition()),
                             blocks[branch.getTrueDest()], trueOperands,
                             blocks[branch.getFalseDest()], falseOperands);
    return success();
  }
  return op->emitError("expected a kind of branch that host programs support, got '")
         << op->getName() << "'";
}

LogicalResult HostEmitter::emitScalar(Operation *op) {
  auto isScalar = [](Type type) { return type.isIntOrIndexOrFloat(); };
  if (op->getNumRegions() != 0 || !llvm::all_of(op->getOperandTypes(), isScalar) ||
      !llvm::all_of(op->getResultTypes(), isScalar))
    return op->emitError("expected an operation that host programs support, got '")
           << op->getName() << "'";
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::CeilDivSIOp,
          arith::CeilDivUIOp, arith::FloorDivSIOp>(op))
    emitDivisionCheck(op);
  builder.clone(*op, values);
  return success();
}

LogicalResult HostEmitter::emit(Operation *op) {
  if (isa<memref::MemRefDialect>(op->getDialect()))
    return emitMemory(op);
  if (auto select = dyn_cast<arith::SelectOp>(op); select && isa<MemRefType>(select.getType())) {
    emitSelect(select);
    return success();
  }
  if (auto launch = dyn_cast<te::LaunchOp>(op))
    return emitLaunch(launch);
  if (auto call = dyn_cast<te::ExternOp>(op))
    return emitExtern(call);
  if (isa<te::CheckOp, te::PollOp, te::RandomKeyOp, te::ResultOp>(op)) {
    llvm::TypeSwitch<Operation *, void>(op)
        .Case([&](te::CheckOp check) { emitCheck(check); })
        .Case([&](te::PollOp poll) { emitPoll(poll); })
        .Case([&](te::RandomKeyOp key) { emitRandomKey(key); })
        .Case([&](te::ResultOp result) { emitResult(result); });
    return success();
  }
  if (isa<func::ReturnOp>(op)) {
    Value ok = arith::ConstantIntOp::create(builder, op->getLoc(), 0, 32);
    cf::BranchOp::create(builder, op->getLoc(), exit, ok);
    return success();
  }
  if (op->hasTrait<OpTrait::IsTerminator>())
    return emitBranch(op);
  return emitScalar(op);
}

} // namespace tssa
