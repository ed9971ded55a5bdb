//===- HostDevice.cpp - a host program whose memory is a device's --------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostEmitter.h"
#include "dialects/te/Transforms/EntrySizes.h"
#include "tssa/abi.h"

using namespace mlir;
using namespace mlir::tssa;

namespace tssa {

/// Launches a kernel with n parameters, the last of which is the error flag. The context holds n
/// addresses of parameters, then n addresses of their byte counts, which are null for scalars. The
/// data to which these addresses point follows, 16 bytes for each parameter. Both addresses of the
/// error flag are null; the host fills them in.
LogicalResult HostEmitter::emitDeviceLaunch(te::LaunchOp op) {
  Location loc = op.getLoc();
  auto kernel = module.lookupSymbol<func::FuncOp>(op.getKernel());
  auto extent = module.lookupSymbol<func::FuncOp>((op.getKernel() + ".extent").str());
  if (!kernel || !extent)
    return op.emitError("expected functions '@")
           << op.getKernel() << "' and '@" << op.getKernel() << ".extent' of the kernel";
  SmallVector<Value> operands(op.getInputs());
  llvm::append_range(operands, op.getOuts());
  int64_t count = operands.size() + 1, addressBytes = 16 * count;
  contextBytes = std::max(contextBytes, addressBytes + 16 * count);
  SmallVector<Value> scalars;
  Value null = LLVM::ZeroOp::create(builder, loc, pointerType());
  for (auto [i, operand] : llvm::enumerate(operands)) {
    int64_t dataOffset = addressBytes + 16 * i;
    store(loc, offset(loc, context, dataOffset), context, 8 * i);
    if (isa<MemRefType>(operand.getType())) {
      store(loc, buffers[operand].pointer, context, dataOffset);
      store(loc, getBytes(loc, operand), context, dataOffset + 8);
      store(loc, offset(loc, context, dataOffset + 8), context, 8 * (count + i));
      continue;
    }
    scalars.push_back(values.lookup(operand));
    store(loc, toMemory(loc, scalars.back()), context, dataOffset);
    store(loc, null, context, 8 * (count + i));
  }
  store(loc, null, context, 8 * (count - 1));
  store(loc, null, context, 8 * (2 * count - 1));
  if (kernel.getNumArguments() != count || extent.getNumArguments() != scalars.size())
    return op.emitError("expected operands for the ")
           << int64_t(kernel.getNumArguments()) - 1 << " parameters of kernel '" << op.getKernel()
           << "', got " << count - 1;
  auto range = func::CallOp::create(builder, loc, extent, scalars);
  Type i32 = builder.getI32Type();
  Value launch = constant(loc, i32, nodes.describeLaunch(op, extent));
  leaveUnlessZero(loc, routines.call(builder, loc, "tssa_host_launch_blocks", i32,
                                     {host, launch, toI64(loc, range.getResult(0)),
                                      toI64(loc, range.getResult(2)), context}));
  return success();
}

void HostEmitter::emitTransfer(Location loc, Value to, Value from, Value bytes, int32_t kind) {
  Type i32 = builder.getI32Type();
  leaveUnlessZero(loc, routines.call(builder, loc, "tssa_host_copy", i32,
                                     {host, to, from, bytes, constant(loc, i32, kind)}));
}

Value HostEmitter::loadFromDevice(Location loc, Type type, Value address) {
  contextBytes = std::max<int64_t>(contextBytes, 8);
  Value bytes = constant(loc, builder.getI64Type(), te::getElementBytes(type));
  emitTransfer(loc, context, address, bytes, TSSA_COPY_TO_HOST);
  return load(loc, type, context, 0);
}

void HostEmitter::storeToDevice(Location loc, Value value, Value address) {
  contextBytes = std::max<int64_t>(contextBytes, 8);
  store(loc, value, context, 0);
  Value bytes = constant(loc, builder.getI64Type(), te::getElementBytes(value.getType()));
  emitTransfer(loc, address, context, bytes, TSSA_COPY_TO_DEVICE);
}

Value HostEmitter::callWithCopies(te::ExternOp op, Value attributes) {
  Location loc = op.getLoc();
  Type i32 = builder.getI32Type(), pointer = pointerType();
  auto type = LLVM::LLVMFunctionType::get(i32, {pointer, i32, pointer, pointer});
  Value routine = routines.getAddress(builder, loc, ("tssa_extern_" + op.getCallee()).str(), type);
  return routines.call(builder, loc, "tssa_host_extern", i32,
                       {host, constant(loc, i32, nodes.getNode(loc)), routine, tensors,
                        constant(loc, i32, op.getInputs().size()),
                        constant(loc, i32, op.getOuts().size() + op.getResults().size()),
                        attributes});
}

} // namespace tssa
