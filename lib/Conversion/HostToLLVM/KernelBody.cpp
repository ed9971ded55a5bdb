//===- KernelBody.cpp - a kernel as a thread pool calls it ---------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelBody.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "tssa/Conversion/KernelScratch.h"
#include "tssa/abi.h"

#include <cstddef>

using namespace mlir;

namespace tssa {

/// Returns the types of the parameters of a kernel and of its results: what a kernel function has
/// before errors, begin, end and the memory of the thread.
static ArrayRef<Type> getOperandTypes(func::FuncOp kernel) {
  return kernel.getArgumentTypes().drop_back(conversion::getScratchType(kernel) ? 4 : 3);
}

KernelBody::KernelBody(ModuleOp module, func::FuncOp kernel) {
  for (Type type : getOperandTypes(kernel)) {
    offsets.push_back(errors);
    errors += isa<MemRefType>(type) ? 16 : 8;
  }
  if (conversion::getScratchType(kernel)) {
    host = errors;
    errors += 16;
  }
  std::string name = (kernel.getSymName() + ".body").str();
  function = module.lookupSymbol<func::FuncOp>(name);
  if (!function)
    create(module, kernel, name);
}

/// Calls the function of the tssa_host at `offset`, which has the parameters `operands`.
static LLVM::CallOp callHost(OpBuilder &builder, Location loc, Type result, size_t offset,
                             ValueRange operands) {
  Type pointer = operands.front().getType();
  Value field = LLVM::GEPOp::create(builder, loc, pointer, builder.getI8Type(), operands.front(),
                                    ArrayRef<LLVM::GEPArg>{int32_t(offset)});
  SmallVector<Value> all{LLVM::LoadOp::create(builder, loc, pointer, field)};
  llvm::append_range(all, operands);
  auto type = LLVM::LLVMFunctionType::get(result, llvm::to_vector(operands.getTypes()));
  return LLVM::CallOp::create(builder, loc, type, all);
}

/// Builds the memref descriptor of `count` contiguous elements, in the layout of MLIR's
/// memref-to-LLVM conversion.
static Value createMemRef(OpBuilder &builder, Location loc, MemRefType type, Value pointer,
                          Value count) {
  Type i64 = builder.getI64Type();
  auto array = LLVM::LLVMArrayType::get(i64, 1);
  auto descriptor = LLVM::LLVMStructType::getLiteral(
      builder.getContext(), {pointer.getType(), pointer.getType(), i64, array, array});
  Value zero = LLVM::ConstantOp::create(builder, loc, i64, builder.getI64IntegerAttr(0));
  Value one = LLVM::ConstantOp::create(builder, loc, i64, builder.getI64IntegerAttr(1));
  Value value = LLVM::PoisonOp::create(builder, loc, descriptor);
  auto insert = [&](Value field, ArrayRef<int64_t> position) {
    value = LLVM::InsertValueOp::create(builder, loc, value, field, position);
  };
  insert(pointer, {0});
  insert(pointer, {1});
  insert(zero, {2});
  insert(count, {3, 0});
  insert(one, {4, 0});
  return UnrealizedConversionCastOp::create(builder, loc, type, value).getResult(0);
}

void KernelBody::create(ModuleOp module, func::FuncOp kernel, StringRef name) {
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  Location loc = kernel.getLoc();
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext()), i64 = builder.getI64Type();
  function =
      func::FuncOp::create(builder, loc, name, builder.getFunctionType({pointer, i64, i64}, {}));
  function.setPrivate();
  Block *block = function.addEntryBlock();
  builder.setInsertionPointToStart(block);
  auto address = [&](int64_t offset) -> Value {
    return LLVM::GEPOp::create(builder, loc, pointer, builder.getI8Type(), block->getArgument(0),
                               ArrayRef<LLVM::GEPArg>{int32_t(offset)});
  };
  auto load = [&](Type type, int64_t offset) -> Value {
    return LLVM::LoadOp::create(builder, loc, type, address(offset));
  };
  auto toIndex = [&](Value value) -> Value {
    return arith::IndexCastOp::create(builder, loc, builder.getIndexType(), value);
  };
  SmallVector<Value> operands;
  for (auto [type, offset] : llvm::zip_equal(getOperandTypes(kernel), offsets)) {
    if (auto memref = dyn_cast<MemRefType>(type))
      operands.push_back(
          createMemRef(builder, loc, memref, load(pointer, offset), load(i64, offset + 8)));
    else if (type.isIndex())
      operands.push_back(toIndex(load(i64, offset)));
    else
      operands.push_back(load(type, offset));
  }
  auto addMemRef = [&](Value memory, Value elements) {
    auto type = cast<MemRefType>(kernel.getArgumentTypes()[operands.size()]);
    operands.push_back(createMemRef(builder, loc, type, memory, elements));
  };
  addMemRef(address(errors),
            LLVM::ConstantOp::create(builder, loc, i64, builder.getI64IntegerAttr(1)));
  operands.push_back(toIndex(block->getArgument(1)));
  operands.push_back(toIndex(block->getArgument(2)));
  Value table = host ? load(pointer, *host) : Value(), scratch;
  if (host) {
    scratch =
        callHost(builder, loc, pointer, offsetof(tssa_host, acquire_scratch), table).getResult();
    addMemRef(scratch, load(i64, *host + 8));
  }
  func::CallOp::create(builder, loc, kernel, operands);
  if (host)
    callHost(builder, loc, LLVM::LLVMVoidType::get(builder.getContext()),
             offsetof(tssa_host, release_scratch), {table, scratch});
  func::ReturnOp::create(builder, loc);
}

} // namespace tssa
