//===- DeviceMatrices.cpp - copies and products of matrices of a warp -----===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The instructions of PTX for tensor cores and for copies that run beside the code of a thread.
// nvgpu has no product of bf16, so products are those of the dialect nvvm for all types.
//
//===----------------------------------------------------------------------===//

#include "DeviceKernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace ::tssa::conversion;
using namespace ::tssa::cuda;

/// Where nothing exists, nothing is read, and the run becomes zero.
void DeviceKernel::buildCopy(IndexBuilder &index, const AsyncCopy &copy) {
  OpBuilder &builder = index.getBuilder();
  Location loc = index.getLoc();
  Value read;
  if (copy.exists) { // of nothing, the source has no meaning
    Value zero = index.constant(0), all = index.constant(copy.elements);
    read = arith::SelectOp::create(builder, loc, copy.exists, all, zero);
  }
  nvgpu::DeviceAsyncCopyOp::create(
      builder, loc, nvgpu::DeviceAsyncTokenType::get(builder.getContext()), copy.to, copy.target,
      copy.from, copy.source, builder.getIndexAttr(copy.elements), read, builder.getUnitAttr());
}

void DeviceKernel::buildCommit(IndexBuilder &index) {
  NVVM::CpAsyncCommitGroupOp::create(index.getBuilder(), index.getLoc());
}

void DeviceKernel::buildAwait(IndexBuilder &index, int64_t groups) {
  NVVM::CpAsyncWaitGroupOp::create(index.getBuilder(), index.getLoc(),
                                   static_cast<int32_t>(groups));
}

Value DeviceKernel::buildMatrices(IndexBuilder &index, Value shared, Value address, int64_t count,
                                  bool transposes) {
  Type element = cast<MemRefType>(shared.getType()).getElementType();
  auto type = VectorType::get({count, 32 / element.getIntOrFloatBitWidth()}, element);
  return nvgpu::LdMatrixOp::create(index.getBuilder(), index.getLoc(), type, shared,
                                   ValueRange{address}, transposes, static_cast<int32_t>(count));
}

/// Returns the words of a fragment as the instruction takes them: pairs of f16 as they are.
static SmallVector<Value> getWords(OpBuilder &builder, Location loc, Value fragment) {
  auto type = cast<VectorType>(fragment.getType());
  bool isCast = !type.getElementType().isF16();
  if (isCast)
    fragment = vector::BitCastOp::create(
        builder, loc, VectorType::get({type.getDimSize(0), 1}, builder.getI32Type()), fragment);
  SmallVector<Value> words;
  for (int64_t i = 0; i < type.getDimSize(0); ++i) {
    SmallVector<int64_t> position{i};
    if (isCast)
      position.push_back(0);
    words.push_back(vector::ExtractOp::create(builder, loc, fragment, position));
  }
  return words;
}

Value DeviceKernel::buildProduct(IndexBuilder &index, Value lhs, Value rhs, Value sums) {
  OpBuilder &builder = index.getBuilder();
  Location loc = index.getLoc();
  constexpr int64_t count = 4; // of sums
  Type element = getElementTypeOrSelf(lhs), f32 = builder.getF32Type();
  NVVM::MMATypes type = element.isF32()    ? NVVM::MMATypes::tf32
                        : element.isBF16() ? NVVM::MMATypes::bf16
                                           : NVVM::MMATypes::f16;
  SmallVector<Value> accumulators;
  for (int64_t i = 0; i < count; ++i)
    accumulators.push_back(vector::ExtractOp::create(builder, loc, sums, ArrayRef<int64_t>{i}));
  auto result = LLVM::LLVMStructType::getLiteral(builder.getContext(), {f32, f32, f32, f32});
  int64_t shape[] = {16, 8, element.isF32() ? 8 : 16};
  Value product = NVVM::MmaOp::create(
      builder, loc, result, getWords(builder, loc, lhs), getWords(builder, loc, rhs), accumulators,
      shape, std::nullopt, std::nullopt, std::array<NVVM::MMATypes, 2>{type, type},
      std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row, NVVM::MMALayout::col});
  SmallVector<Value> elements;
  for (int64_t i = 0; i < count; ++i)
    elements.push_back(LLVM::ExtractValueOp::create(builder, loc, product, ArrayRef<int64_t>{i}));
  return vector::FromElementsOp::create(builder, loc, cast<VectorType>(sums.getType()), elements);
}
