//===- ThreadScratch.cpp - boxes in memory of a thread --------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThreadScratch.h"
#include "dialects/layout/Analysis/CodeRules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "tssa/Conversion/KernelScratch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tssa;
using ::tssa::conversion::scratchAlignment;

namespace tssa::cpu {

Value ThreadScratch::allocate(OpBuilder &builder, Location loc, func::FuncOp kernel,
                              MemRefType type) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&kernel.getBody().front());
  int64_t bytes = type.getNumElements() * llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  if (stackBytes + bytes > layout::scratchBytes)
    return allocatePassed(builder, loc, kernel, type, bytes);
  stackBytes += bytes;
  return memref::AllocaOp::create(builder, loc, type, builder.getI64IntegerAttr(scratchAlignment));
}

Value ThreadScratch::allocatePassed(OpBuilder &builder, Location loc, func::FuncOp kernel,
                                    MemRefType type, int64_t bytes) {
  if (passedBytes == 0) {
    auto open = MemRefType::get({ShapedType::kDynamic}, builder.getI8Type());
    (void)kernel.insertArgument(kernel.getNumArguments(), open, {}, loc);
  }
  Value memory = kernel.getArguments().back();
  Value offset = arith::ConstantIndexOp::create(builder, loc, passedBytes);
  passedBytes += llvm::alignTo(bytes, scratchAlignment);
  return memref::ViewOp::create(builder, loc, type, memory, offset, ValueRange());
}

void ThreadScratch::finish(func::FuncOp kernel) {
  if (passedBytes == 0)
    return;
  auto sized = MemRefType::get({passedBytes}, Builder(kernel).getI8Type());
  kernel.getArguments().back().setType(sized);
  SmallVector<Type> types(kernel.getArgumentTypes());
  types.back() = sized;
  kernel.setFunctionType(Builder(kernel).getFunctionType(types, kernel.getResultTypes()));
}

} // namespace tssa::cpu
