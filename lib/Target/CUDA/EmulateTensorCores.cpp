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

/// Returns the operation of a product, or nothing if it has no emulation.
static std::optional<tssa_emulator_operation> getProduct(NVVM::MmaOp op) {
  std::optional<NVVM::MMATypes> type = op.getMultiplicandAPtxType();
  if (op.getShape().getM() != 16 || op.getShape().getN() != 8 || !type ||
      type != op.getMultiplicandBPtxType())
    return std::nullopt;
  int k = op.getShape().getK();
  bool hasF32Sums =
      op.accumPtxType() == NVVM::MMATypes::f32 && op.resultPtxType() == NVVM::MMATypes::f32;
  if (*type == NVVM::MMATypes::f16 && k == 16 && hasF32Sums)
    return TSSA_EMU_MULTIPLY_F16;
  if (*type == NVVM::MMATypes::bf16 && k == 16 && hasF32Sums)
    return TSSA_EMU_MULTIPLY_BF16;
  if (*type == NVVM::MMATypes::tf32 && k == 8 && hasF32Sums)
    return TSSA_EMU_MULTIPLY_TF32;
  if (*type == NVVM::MMATypes::s8 && k == 32)
    return op.getIntOverflowBehavior() == NVVM::MMAIntOverflow::wrapped
               ? TSSA_EMU_MULTIPLY_S8
               : TSSA_EMU_MULTIPLY_S8_SATURATED;
  return std::nullopt;
}

LogicalResult KernelEmulation::rewriteMatrixProduct(Operation *op) {
  auto product = cast<NVVM::MmaOp>(op);
  Location loc = op->getLoc();
  std::optional<tssa_emulator_operation> operation = getProduct(product);
  if (!operation)
    return op->emitError("expected a product m16n8 of f16, bf16 or tf32 with sums in f32, or of "
                         "s8; others have no emulation");
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
