//===- EmulateTensorCores.cpp - copies and matrices of kernels -------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulate.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace tssa::cuda {

/// The number of words of A, B and C, which is the most that an op needs.
static constexpr int64_t numWords = 10;

Value KernelEmulation::getFragments(Location loc) {
  if (fragments)
    return fragments;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&kernel.getBody().front());
  fragments = LLVM::AllocaOp::create(builder, loc, LLVM::LLVMPointerType::get(builder.getContext()),
                                     builder.getI32Type(),
                                     getConstant(loc, builder.getI64Type(), numWords));
  return fragments;
}

Value KernelEmulation::getWord(Location loc, unsigned index) {
  Value fragments = getFragments(loc);
  return LLVM::GEPOp::create(builder, loc, fragments.getType(), builder.getI32Type(), fragments,
                             ArrayRef<LLVM::GEPArg>{int32_t(index)});
}

/// The site of an access of `bytes` bytes, an element, with that alignment.
static tssa_emulator_site makeSite(tssa_emulator_operation operation, tssa_emulator_space space,
                                   int32_t parameter, uint32_t bytes) {
  auto size = static_cast<int32_t>(bytes);
  return {operation, space, parameter, size, size, size, 0};
}

void KernelEmulation::rewriteCopy(Operation *op) {
  auto copy = cast<NVVM::CpAsyncOp>(op);
  Location loc = op->getLoc();
  Type i32 = builder.getI32Type();
  int32_t parameter = findOrigin(copy.getSrc()).parameter;
  int32_t source =
      sites.add(loc, makeSite(TSSA_EMU_LOAD, TSSA_EMU_GLOBAL, parameter, copy.getSize()));
  Value bytes = copy.getCpSize();
  if (!bytes)
    bytes = getConstant(loc, i32, copy.getSize());
  call(loc, offsetof(tssa_emulator, copy), {},
       {copy.getDst(), copy.getSrc(), bytes, getConstant(loc, i32, source)},
       sites.add(loc, makeSite(TSSA_EMU_COPY, TSSA_EMU_SHARED, -1, copy.getSize())));
}

LogicalResult KernelEmulation::rewriteMatrixLoad(Operation *op) {
  auto load = cast<NVVM::LdMatrixOp>(op);
  Location loc = op->getLoc();
  if (load.getShape().getM() != 8 || load.getShape().getN() != 8)
    return op->emitError("a load of matrices other than 8 by 8 has no emulation");
  Type i32 = builder.getI32Type();
  auto operation =
      load.getLayout() == NVVM::MMALayout::row ? TSSA_EMU_LOAD_MATRICES : TSSA_EMU_LOAD_TRANSPOSED;
  constexpr uint32_t rowBytes = 16;
  call(loc, offsetof(tssa_emulator, load_matrices), {},
       {load.getPtr(), getFragments(loc), getConstant(loc, i32, load.getNum())},
       sites.add(loc, makeSite(operation, TSSA_EMU_SHARED, -1, rowBytes)));
  auto loadWord = [&](unsigned i) -> Value {
    return LLVM::LoadOp::create(builder, loc, i32, getWord(loc, i));
  };
  Value result;
  if (load.getNum() == 1) {
    result = loadWord(0);
  } else {
    result = LLVM::PoisonOp::create(builder, loc, load.getType());
    for (unsigned i = 0; i < load.getNum(); ++i)
      result = LLVM::InsertValueOp::create(builder, loc, result, loadWord(i), int64_t(i));
  }
  load.replaceAllUsesWith(result);
  return success();
}

/// Returns the operation of an m16n8k16 product with sums in f32, or nothing for other products.
static std::optional<tssa_emulator_operation> getProduct(NVVM::MmaOp op) {
  NVVM::MMAShapeAttr shape = op.getShape();
  auto isF32 = [](Type type) { return type.isF32(); };
  auto result = cast<LLVM::LLVMStructType>(op.getType());
  if (shape.getM() != 16 || shape.getN() != 8 || shape.getK() != 16 ||
      op.getMultiplicandAPtxType() != op.getMultiplicandBPtxType() ||
      !llvm::all_of(op.getOperandC().getTypes(), isF32) || !llvm::all_of(result.getBody(), isF32))
    return std::nullopt;
  if (op.getMultiplicandAPtxType() == NVVM::MMATypes::f16)
    return TSSA_EMU_MULTIPLY_F16;
  if (op.getMultiplicandAPtxType() == NVVM::MMATypes::bf16)
    return TSSA_EMU_MULTIPLY_BF16;
  return std::nullopt;
}

LogicalResult KernelEmulation::rewriteMatrixProduct(Operation *op) {
  auto product = cast<NVVM::MmaOp>(op);
  Location loc = op->getLoc();
  std::optional<tssa_emulator_operation> operation = getProduct(product);
  if (!operation)
    return op->emitError("a product of matrices other than m16n8k16 of f16 or bf16 with sums in "
                         "f32 has no emulation");
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    LLVM::StoreOp::create(builder, loc, operand, getWord(loc, i));
  call(loc, offsetof(tssa_emulator, multiply_matrices), {}, getFragments(loc),
       addSite(op, *operation));
  Value result = LLVM::PoisonOp::create(builder, loc, product.getType());
  unsigned firstSum = product.getOperandA().size() + product.getOperandB().size();
  for (auto [i, type] : llvm::enumerate(cast<LLVM::LLVMStructType>(product.getType()).getBody())) {
    Value sum = LLVM::LoadOp::create(builder, loc, type, getWord(loc, firstSum + i));
    result = LLVM::InsertValueOp::create(builder, loc, result, sum, int64_t(i));
  }
  product.replaceAllUsesWith(result);
  return success();
}

/// Rewrites asynchronous copies and operations on matrices. Fails on those without emulation.
LogicalResult KernelEmulation::rewriteTensorCores(Operation *op) {
  Location loc = op->getLoc();
  LogicalResult result = success();
  if (isa<NVVM::CpAsyncOp>(op))
    rewriteCopy(op);
  else if (isa<NVVM::CpAsyncCommitGroupOp>(op))
    call(loc, offsetof(tssa_emulator, commit_copies), {}, {}, addSite(op, TSSA_EMU_COMMIT_COPIES));
  else if (auto wait = dyn_cast<NVVM::CpAsyncWaitGroupOp>(op))
    call(loc, offsetof(tssa_emulator, await_copies), {},
         getConstant(loc, builder.getI32Type(), static_cast<int32_t>(wait.getN())),
         addSite(op, TSSA_EMU_AWAIT_COPIES));
  else if (isa<NVVM::LdMatrixOp>(op))
    result = rewriteMatrixLoad(op);
  else
    result = rewriteMatrixProduct(op);
  if (succeeded(result))
    op->erase();
  return result;
}

} // namespace tssa::cuda
