//===- HostCalls.cpp - launches, routines and checks ---------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostEmitter.h"
#include "KernelBody.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tssa/Conversion/KernelScratch.h"
#include "tssa/Runtime/Manifest.h"
#include "tssa/abi.h"

#include <array>
#include <limits>

using namespace mlir;
using namespace mlir::tssa;

namespace tssa {

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

LogicalResult HostEmitter::emitLaunch(te::LaunchOp op) {
  if (device)
    return emitDeviceLaunch(op);
  Location loc = op.getLoc();
  auto kernel = module.lookupSymbol<func::FuncOp>(op.getKernel());
  auto extent = module.lookupSymbol<func::FuncOp>((op.getKernel() + ".extent").str());
  if (!kernel || !extent)
    return op.emitError("expected functions '@")
           << op.getKernel() << "' and '@" << op.getKernel() << ".extent' of the kernel";
  KernelBody body(module, kernel);
  contextBytes = std::max(contextBytes, body.getContextBytes());

  SmallVector<Value> scalars;
  unsigned number = 0;
  for (Value operand :
       llvm::concat<Value>(llvm::to_vector(op.getInputs()), llvm::to_vector(op.getOuts()))) {
    int64_t field = body.getOffset(number++);
    if (isa<MemRefType>(operand.getType())) {
      store(loc, buffers[operand].pointer, context, field);
      store(loc, toI64(loc, getCount(loc, operand)), context, field + 8);
      continue;
    }
    Value scalar = values.lookup(operand);
    scalars.push_back(scalar);
    store(loc, scalar.getType().isIndex() ? toI64(loc, scalar) : scalar, context, field);
  }
  if (number != body.getNumFields() || extent.getNumArguments() != scalars.size())
    return op.emitError("expected operands for the ")
           << body.getNumFields() << " parameters of kernel '" << op.getKernel() << "', got "
           << number;
  if (body.getHostOffset()) {
    store(loc, host, context, *body.getHostOffset());
    store(loc, emitScratch(kernel, scalars), context, *body.getHostOffset() + 8);
  }
  auto range = func::CallOp::create(builder, loc, extent, scalars);
  Type i32 = builder.getI32Type();
  Value callee = func::ConstantOp::create(builder, loc, body.getFunction().getFunctionType(),
                                          body.getFunction().getSymName());
  Value pointer =
      UnrealizedConversionCastOp::create(builder, loc, pointerType(), callee).getResult(0);
  Value code = routines.call(
      builder, loc, "tssa_host_launch", i32,
      {host, constant(loc, i32, nodes.describeLaunch(op, extent)),
       constant(loc, i32, nodes.getNode(loc)), pointer, context, toI64(loc, range.getResult(0)),
       toI64(loc, range.getResult(1)), toI64(loc, range.getResult(2)),
       constant(loc, i32, body.getErrorsOffset())});
  leaveUnlessZero(loc, code);
  return success();
}

Value HostEmitter::emitScratch(func::FuncOp kernel, ValueRange scalars) {
  Location loc = kernel.getLoc();
  if (int64_t bytes = conversion::getScratchBytes(kernel))
    return constant(loc, builder.getI64Type(), bytes);
  auto count = module.lookupSymbol<func::FuncOp>(conversion::getScratchName(kernel.getSymName()));
  Value bytes = toI64(loc, func::CallOp::create(builder, loc, count, scalars).getResult(0));
  Value code =
      routines.call(builder, loc, "tssa_host_reserve", builder.getI32Type(),
                    {host, constant(loc, builder.getI32Type(), nodes.getNode(loc)), bytes});
  leaveUnlessZero(loc, code);
  return bytes;
}

//===----------------------------------------------------------------------===//
// Routines
//===----------------------------------------------------------------------===//

/// Returns DLPack's type code of an element type. The code does not tell unsigned integers from
/// signed ones; an attribute of the call does.
static uint8_t getTypeCode(Type type) {
  if (type.isInteger(1))
    return 6;
  if (type.isBF16())
    return 4;
  return isa<FloatType>(type) ? 2 : 0;
}

/// DLPack's codes of the devices.
static constexpr int64_t deviceCPU = 1, deviceCUDA = 2;

/// Number of sizes that fit into each slot of `shapes`.
static constexpr int64_t maxRank = ::tssa::runtime::maxRank;

/// Describes `value` in slot `slot` of the scratch tensors; a scalar becomes a tensor of rank 0.
/// The shape goes to the same slot of `shapes`.
void HostEmitter::emitTensor(Location loc, Value value, int64_t slot) {
  Type i32 = builder.getI32Type(), element = getElementTypeOrSelf(value.getType());
  tensorCount = std::max(tensorCount, slot + 1);
  shapeCount = std::max<int64_t>(shapeCount, (slot + 1) * maxRank);
  Value tensor = offset(loc, tensors, slot * sizeof(tssa_tensor));
  Value shape = offset(loc, shapes, slot * maxRank * 8);
  unsigned bits = element.isIndex()      ? 64
                  : element.isInteger(1) ? 8
                                         : element.getIntOrFloatBitWidth();
  int64_t rank = 0;
  Value pointer = LLVM::ZeroOp::create(builder, loc, pointerType());
  auto known = buffers.find(value);
  if (auto type = dyn_cast<MemRefType>(value.getType())) {
    rank = type.getRank();
    if (known != buffers.end()) {
      pointer = known->second.pointer;
      storeShape(loc, getSizes(loc, value), slot * maxRank);
    }
  } else { // a scalar is stored in the space for its shape
    pointer = shape;
    store(loc, toMemory(loc, values.lookup(value)), pointer, 0);
  }
  int64_t dtype = getTypeCode(element) | int64_t(bits) << 8 | int64_t(1) << 16;
  store(loc, pointer, tensor, offsetof(tssa_tensor, data));
  int64_t deviceType = device && isa<MemRefType>(value.getType()) ? deviceCUDA : deviceCPU;
  store(loc, constant(loc, builder.getI64Type(), deviceType), tensor,
        offsetof(tssa_tensor, device));
  store(loc, constant(loc, i32, rank), tensor, offsetof(tssa_tensor, ndim));
  store(loc, constant(loc, i32, dtype), tensor, offsetof(tssa_tensor, dtype));
  store(loc, shape, tensor, offsetof(tssa_tensor, shape));
  Value null = LLVM::ZeroOp::create(builder, loc, pointerType());
  store(loc, null, tensor, offsetof(tssa_tensor, strides));
  store(loc, constant(loc, builder.getI64Type(), 0), tensor, offsetof(tssa_tensor, byte_offset));
}

/// Returns the attributes that a call passes to its routine: the fields of `Attributes` in
/// lib/Externs/Routine.h.
static std::array<int64_t, 5> getAttributes(te::ExternOp op) {
  int64_t absent = std::numeric_limits<int64_t>::min();
  int64_t axis = op.getAxis() ? static_cast<int64_t>(*op.getAxis()) : absent;
  return {axis, op.getCenterPointBox(), op.getIsUnsigned(), op.getLargest(), op.getSorted()};
}

Value HostEmitter::callRoutine(te::ExternOp op, Value attributes) {
  Location loc = op.getLoc();
  Type i32 = builder.getI32Type();
  return routines.call(builder, loc, ("tssa_extern_" + op.getCallee()).str(), i32,
                       {host, constant(loc, i32, nodes.getNode(loc)), tensors, attributes});
}

/// Calls `int32_t tssa_extern_<name>(host, node, tensors, attributes)`. The tensors are inputs,
/// outs, then results. The data of a result is null before the call; the routine allocates it.
LogicalResult HostEmitter::emitExtern(te::ExternOp op) {
  Location loc = op.getLoc();
  int64_t slot = 0;
  for (Value input : op.getInputs())
    emitTensor(loc, input, slot++);
  for (Value out : op.getOuts())
    emitTensor(loc, out, slot++);
  int64_t first = slot;
  for (Value result : op.getResults())
    emitTensor(loc, result, slot++);
  std::array<int64_t, 5> attributes = getAttributes(op);
  int64_t start = (slot + 1) * maxRank;
  shapeCount = std::max<int64_t>(shapeCount, start + attributes.size());
  for (auto [i, value] : llvm::enumerate(attributes))
    store(loc, constant(loc, builder.getI64Type(), value), shapes, 8 * (start + i));
  Value packed = offset(loc, shapes, 8 * start);
  leaveUnlessZero(loc, device ? callWithCopies(op, packed) : callRoutine(op, packed));
  for (auto [i, result] : llvm::enumerate(op.getResults())) {
    Value tensor = offset(loc, tensors, (first + i) * sizeof(tssa_tensor));
    Buffer buffer;
    buffer.pointer = load(loc, pointerType(), tensor, offsetof(tssa_tensor, data));
    for (auto [dim, size] : llvm::enumerate(cast<MemRefType>(result.getType()).getShape()))
      if (ShapedType::isDynamic(size))
        buffer.dynamicSizes.push_back(toIndex(
            loc, load(loc, builder.getI64Type(), shapes, 8 * ((first + i) * maxRank + dim))));
    buffers[result] = buffer;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

void HostEmitter::emitCheck(te::CheckOp op) {
  Location loc = op.getLoc();
  Value one = arith::ConstantIntOp::create(builder, loc, 1, 1);
  Value failed = arith::XOrIOp::create(builder, loc, values.lookup(op.getCondition()), one);
  failWhen(loc, failed, TSSA_OUT_OF_RANGE, op.getMessage());
}

void HostEmitter::emitPoll(te::PollOp op) {
  Type i32 = builder.getI32Type();
  leaveUnlessZero(op.getLoc(), routines.call(builder, op.getLoc(), "tssa_host_poll", i32, {host}));
}

void HostEmitter::emitRandomKey(te::RandomKeyOp op) {
  Location loc = op.getLoc();
  Type i64 = builder.getI64Type();
  std::optional<uint64_t> seed = op.getSeed();
  values.map(op.getKey(), routines.call(builder, loc, "tssa_host_random_key", i64,
                                        {host, constant(loc, i64, op.getStream()),
                                         constant(loc, builder.getI32Type(), seed.has_value()),
                                         constant(loc, i64, seed.value_or(0))}));
}

void HostEmitter::emitDivisionCheck(Operation *op) {
  Location loc = op->getLoc();
  Value divisor = values.lookup(op->getOperand(1));
  Type type = divisor.getType();
  auto isEqual = [&](Value value, int64_t to) -> Value {
    Value constant = arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, to));
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, value, constant);
  };
  // A divisor of -1 fails like 0, because the least integer divided by -1 overflows.
  Value failed = isEqual(divisor, 0);
  if (!isa<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp>(op))
    failed = arith::OrIOp::create(builder, loc, failed, isEqual(divisor, -1));
  failWhen(loc, failed, TSSA_OUT_OF_RANGE, "a size is divided by zero");
}

} // namespace tssa
