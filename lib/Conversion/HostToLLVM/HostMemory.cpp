//===- HostMemory.cpp - memrefs of a host program ------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostEmitter.h"
#include "dialects/te/IR/Program.h"
#include "dialects/te/Transforms/EntrySizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tssa/abi.h"

using namespace mlir;
using namespace mlir::tssa;

namespace tssa {

SmallVector<Value> HostEmitter::getSizes(Location loc, Value memref) {
  SmallVector<Value> sizes;
  unsigned next = 0;
  for (int64_t size : cast<MemRefType>(memref.getType()).getShape())
    sizes.push_back(ShapedType::isDynamic(size) ? buffers[memref].dynamicSizes[next++]
                                                : index(loc, size));
  return sizes;
}

Value HostEmitter::getCount(Location loc, Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  int64_t fixed = 1;
  for (int64_t size : type.getShape())
    if (ShapedType::isStatic(size))
      fixed *= size;
  Value count = index(loc, fixed);
  for (Value size : buffers[memref].dynamicSizes)
    count = arith::MulIOp::create(builder, loc, count, size);
  return count;
}

Value HostEmitter::getBytes(Location loc, Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  Value element = index(loc, te::getElementBytes(type.getElementType()));
  return toI64(loc, arith::MulIOp::create(builder, loc, getCount(loc, memref), element));
}

void HostEmitter::storeShape(Location loc, ValueRange sizes, int64_t first) {
  shapeCount = std::max<int64_t>(shapeCount, first + sizes.size());
  for (auto [i, size] : llvm::enumerate(sizes))
    store(loc, toI64(loc, size), shapes, 8 * (first + i));
}

void HostEmitter::emitView(memref::ViewOp op) {
  Location loc = op.getLoc();
  Value start = toI64(loc, values.lookup(op.getByteShift()));
  Buffer buffer;
  buffer.pointer =
      LLVM::GEPOp::create(builder, loc, pointerType(), builder.getI8Type(),
                          buffers[op.getSource()].pointer, ArrayRef<LLVM::GEPArg>{start});
  for (Value size : op.getSizes())
    buffer.dynamicSizes.push_back(values.lookup(size));
  buffers[op] = buffer;
  // Under AddressSanitizer the runtime has poisoned the whole arena.
  auto source = dyn_cast<BlockArgument>(op.getSource());
  if (te::hasSeparateBuffers(module) && source && te::isArena(main, source.getArgNumber()))
    routines.call(builder, loc, "__asan_unpoison_memory_region", nullptr,
                  {buffer.pointer, getBytes(loc, op)});
}

/// Allocates memory whose size was not known at the start of the run.
void HostEmitter::emitAlloc(memref::AllocOp op) {
  Location loc = op.getLoc();
  Type i32 = builder.getI32Type();
  MemRefType type = op.getType();
  prepareAllocation(op, op.getDynamicSizes());
  Value node = constant(loc, i32, nodes.getNode(loc));
  Value bytes = constant(loc, i32, te::getElementBytes(type.getElementType()));
  Value rank = constant(loc, i32, type.getRank());
  finishAllocation(op, routines.call(builder, loc, "tssa_host_grow", pointerType(),
                                     {host, node, bytes, rank, shapes}));
}

void HostEmitter::emitResult(te::ResultOp op) {
  Location loc = op.getLoc();
  Type i32 = builder.getI32Type();
  prepareAllocation(op.getBuffer(), op.getSizes());
  Value number = constant(loc, i32, op.getNumber());
  Value rank = constant(loc, i32, op.getBuffer().getType().getRank());
  finishAllocation(op.getBuffer(), routines.call(builder, loc, "tssa_host_result", pointerType(),
                                                 {host, results, number, rank, shapes}));
}

/// Stores the shape of a buffer for the routine that allocates it.
void HostEmitter::prepareAllocation(Value memref, ValueRange dynamicSizes) {
  Buffer buffer;
  for (Value size : dynamicSizes)
    buffer.dynamicSizes.push_back(values.lookup(size));
  buffers[memref] = buffer;
  storeShape(memref.getLoc(), getSizes(memref.getLoc(), memref), 0);
}

void HostEmitter::finishAllocation(Value memref, Value pointer) {
  Location loc = memref.getLoc();
  Value null = LLVM::ZeroOp::create(builder, loc, pointerType());
  Value none = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, pointer, null);
  Value memoryCode = arith::ConstantIntOp::create(builder, loc, TSSA_OUT_OF_MEMORY, 32);
  Value ok = arith::ConstantIntOp::create(builder, loc, 0, 32);
  leaveUnlessZero(loc, arith::SelectOp::create(builder, loc, none, memoryCode, ok));
  buffers[memref].pointer = pointer;
}

void HostEmitter::emitCopy(memref::CopyOp op) {
  Location loc = op.getLoc();
  Value bytes = getBytes(loc, op.getSource());
  Value to = buffers[op.getTarget()].pointer, from = buffers[op.getSource()].pointer;
  if (device)
    emitTransfer(loc, to, from, bytes, TSSA_COPY_ON_DEVICE);
  else
    LLVM::MemcpyOp::create(builder, loc, to, from, bytes, /*isVolatile=*/false);
}

/// Selects a memref. The canonicalizer makes this from a branch whose blocks yield memrefs that are
/// defined before it.
void HostEmitter::emitSelect(arith::SelectOp op) {
  Location loc = op.getLoc();
  Value condition = values.lookup(op.getCondition());
  Buffer whenTrue = buffers[op.getTrueValue()], whenFalse = buffers[op.getFalseValue()];
  Buffer selected;
  selected.pointer =
      LLVM::SelectOp::create(builder, loc, condition, whenTrue.pointer, whenFalse.pointer);
  for (auto [a, b] : llvm::zip_equal(whenTrue.dynamicSizes, whenFalse.dynamicSizes))
    selected.dynamicSizes.push_back(arith::SelectOp::create(builder, loc, condition, a, b));
  buffers[op.getResult()] = selected;
}

Value HostEmitter::loadElement(Location loc, Type type, Value address) {
  if (device)
    return loadFromDevice(loc, type, address);
  return LLVM::LoadOp::create(builder, loc, type, address);
}

void HostEmitter::storeElement(Location loc, Value value, Value address) {
  if (device)
    storeToDevice(loc, value, address);
  else
    LLVM::StoreOp::create(builder, loc, value, address);
}

LogicalResult HostEmitter::emitDim(memref::DimOp op) {
  std::optional<int64_t> dim = op.getConstantIndex();
  if (!dim)
    return op.emitError("expected the number of the dim to be a constant");
  values.map(op.getResult(), getSizes(op.getLoc(), op.getSource())[*dim]);
  return success();
}

/// Builds the address of the element of `memref` at `indices`, in row-major order.
Value HostEmitter::emitAddress(Location loc, Value memref, ValueRange indices) {
  SmallVector<Value> sizes = getSizes(loc, memref);
  Value linear = index(loc, 0);
  for (auto [dim, position] : llvm::enumerate(indices)) {
    linear = arith::MulIOp::create(builder, loc, linear, sizes[dim]);
    linear = arith::AddIOp::create(builder, loc, linear, values.lookup(position));
  }
  int64_t bytes = te::getElementBytes(cast<MemRefType>(memref.getType()).getElementType());
  linear = arith::MulIOp::create(builder, loc, linear, index(loc, bytes));
  return LLVM::GEPOp::create(builder, loc, pointerType(), builder.getI8Type(),
                             buffers[memref].pointer, ArrayRef<LLVM::GEPArg>{toI64(loc, linear)});
}

LogicalResult HostEmitter::emitMemory(Operation *op) {
  Location loc = op->getLoc();
  if (auto view = dyn_cast<memref::ViewOp>(op)) {
    emitView(view);
  } else if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
    emitAlloc(alloc);
  } else if (auto dealloc = dyn_cast<memref::DeallocOp>(op)) {
    routines.call(builder, loc, "tssa_host_release", nullptr,
                  {host, buffers[dealloc.getMemref()].pointer});
  } else if (auto copy = dyn_cast<memref::CopyOp>(op)) {
    emitCopy(copy);
  } else if (auto dim = dyn_cast<memref::DimOp>(op)) {
    return emitDim(dim);
  } else if (auto cast = dyn_cast<memref::CastOp>(op)) {
    Buffer buffer{buffers[cast.getSource()].pointer, {}};
    SmallVector<Value> sizes = getSizes(loc, cast.getSource());
    for (auto [i, size] : llvm::enumerate(llvm::cast<MemRefType>(cast.getType()).getShape()))
      if (ShapedType::isDynamic(size))
        buffer.dynamicSizes.push_back(sizes[i]);
    buffers[cast.getResult()] = buffer;
  } else if (auto read = dyn_cast<memref::LoadOp>(op)) {
    Value address = emitAddress(loc, read.getMemref(), read.getIndices());
    Type type = read.getType();
    Value element;
    if (type.isIndex())
      element = toIndex(loc, loadElement(loc, builder.getI64Type(), address));
    else if (type.isInteger(1))
      element = arith::TruncIOp::create(builder, loc, type,
                                        loadElement(loc, builder.getI8Type(), address));
    else
      element = loadElement(loc, type, address);
    values.map(read.getResult(), element);
  } else if (auto write = dyn_cast<memref::StoreOp>(op)) {
    Value address = emitAddress(loc, write.getMemref(), write.getIndices());
    storeElement(loc, toMemory(loc, values.lookup(write.getValue())), address);
  } else {
    return op->emitError("expected an operation that host programs support, got '")
           << op->getName() << "'";
  }
  return success();
}

} // namespace tssa
