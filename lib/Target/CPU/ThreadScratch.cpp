//===- ThreadScratch.cpp - boxes in memory of a thread --------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThreadScratch.h"
#include "dialects/layout/Analysis/CodeRules.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "tssa/Conversion/KernelScratch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tssa;
using ::tssa::conversion::scratchAlignment;

namespace tssa::cpu {

Value ThreadScratch::allocate(OpBuilder &builder, Location loc, func::FuncOp kernel,
                              MemRefType type, Value size) {
  OpBuilder::InsertionGuard guard(builder);
  Block &entry = kernel.getBody().front();
  int64_t elementBytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  if (size || stackBytes + type.getNumElements() * elementBytes > layout::scratchBytes) {
    if (builder.getInsertionBlock() != &entry) // before the loop over iterations
      builder.setInsertionPoint(entry.findAncestorOpInBlock(*builder.getInsertionPoint()));
    return allocatePassed(builder, loc, kernel, type, size);
  }
  builder.setInsertionPointToStart(&entry);
  stackBytes += type.getNumElements() * elementBytes;
  return memref::AllocaOp::create(builder, loc, type, builder.getI64IntegerAttr(scratchAlignment));
}

Value ThreadScratch::allocatePassed(OpBuilder &builder, Location loc, func::FuncOp kernel,
                                    MemRefType type, Value size) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  if (!passedBytes) {
    auto open = MemRefType::get({ShapedType::kDynamic}, builder.getI8Type());
    (void)kernel.insertArgument(kernel.getNumArguments(), open, {}, loc);
    passedBytes = constant(0);
  }
  Value memory = kernel.getArguments().back(), offset = passedBytes;
  Value elements = size ? size : constant(type.getNumElements());
  Value bytes = builder.createOrFold<arith::MulIOp>(
      loc, elements, constant(llvm::divideCeil(type.getElementTypeBitWidth(), 8)));
  Value blocks = builder.createOrFold<arith::CeilDivUIOp>(loc, bytes, constant(scratchAlignment));
  Value aligned = builder.createOrFold<arith::MulIOp>(loc, blocks, constant(scratchAlignment));
  passedBytes = builder.createOrFold<arith::AddIOp>(loc, offset, aligned);
  return memref::ViewOp::create(builder, loc, type, memory, offset,
                                size ? ValueRange(size) : ValueRange());
}

/// Creates the function that returns `bytes`, which `kernel` computes from its parameters.
static void createScratchFunction(func::FuncOp kernel, Value bytes) {
  OpBuilder builder(kernel);
  SmallVector<BlockArgument> scalars;
  SmallVector<Type> types;
  for (BlockArgument argument : kernel.getArguments().drop_back(3)) // begin, end, memory
    if (!isa<MemRefType>(argument.getType())) {
      scalars.push_back(argument);
      types.push_back(argument.getType());
    }
  auto function = func::FuncOp::create(builder, kernel.getLoc(),
                                       conversion::getScratchName(kernel.getSymName()),
                                       builder.getFunctionType(types, builder.getIndexType()));
  builder.setInsertionPointToStart(function.addEntryBlock());
  IRMapping values;
  for (auto [argument, own] : llvm::zip_equal(scalars, function.getArguments()))
    values.map(argument, own);
  llvm::SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  (void)getBackwardSlice(bytes, &slice, options);
  for (Operation *op : slice)
    builder.clone(*op, values);
  func::ReturnOp::create(builder, kernel.getLoc(), values.lookup(bytes));
}

void ThreadScratch::finish(func::FuncOp kernel) {
  if (!passedBytes)
    return;
  APInt bytes;
  if (!matchPattern(passedBytes, m_ConstantInt(&bytes)))
    return createScratchFunction(kernel, passedBytes);
  auto sized = MemRefType::get({bytes.getSExtValue()}, Builder(kernel).getI8Type());
  kernel.getArguments().back().setType(sized);
  SmallVector<Type> types(kernel.getArgumentTypes());
  types.back() = sized;
  kernel.setFunctionType(Builder(kernel).getFunctionType(types, kernel.getResultTypes()));
}

} // namespace tssa::cpu
