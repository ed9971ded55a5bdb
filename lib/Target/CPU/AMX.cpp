//===- AMX.cpp - registers of matrices of x86 -----------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AMX.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::tssa;
using ::tssa::conversion::IndexBuilder;
using ::tssa::conversion::MatrixAccess;

/// The configuration that LDTILECFG reads has 64 bytes: the palette, from byte 16 on the bytes of a
/// row of each register, two bytes each, and from byte 48 on their rows, one byte each.
static constexpr int64_t configurationWords = 16, bytesOfRow = 64;

static void call(IndexBuilder &index, StringRef name, ValueRange args) {
  OpBuilder &builder = index.getBuilder();
  LLVM::CallIntrinsicOp::create(builder, index.getLoc(), builder.getStringAttr(name), args);
}

static Value makeNumber(IndexBuilder &index, unsigned number) {
  OpBuilder &builder = index.getBuilder();
  return LLVM::ConstantOp::create(builder, index.getLoc(), builder.getI8Type(),
                                  builder.getI8IntegerAttr(static_cast<int8_t>(number)));
}

/// Returns `elements` of `memref` in bytes, as an i64.
static Value getBytes(IndexBuilder &index, Value memref, Value elements) {
  OpBuilder &builder = index.getBuilder();
  Location loc = index.getLoc();
  unsigned bits = cast<MemRefType>(memref.getType()).getElementTypeBitWidth();
  Value bytes = arith::MulIOp::create(builder, loc, elements, index.constant(bits / 8));
  return arith::IndexCastOp::create(builder, loc, builder.getI64Type(), bytes);
}

static Value getPointer(IndexBuilder &index, Value memref, Value element) {
  OpBuilder &builder = index.getBuilder();
  Location loc = index.getLoc();
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, memref);
  base = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), base);
  base = LLVM::IntToPtrOp::create(builder, loc, LLVM::LLVMPointerType::get(builder.getContext()),
                                  base);
  return LLVM::GEPOp::create(builder, loc, base.getType(), builder.getI8Type(), base,
                             ValueRange{getBytes(index, memref, element)});
}

namespace tssa::cpu {

MemRefType AMXRegisters::getConfigurationType(OpBuilder &builder) {
  return MemRefType::get({configurationWords}, builder.getI32Type());
}

void AMXRegisters::buildConfiguration(IndexBuilder &index, Value memory,
                                      ArrayRef<OpFoldResult> rows) {
  OpBuilder &builder = index.getBuilder();
  Location loc = index.getLoc();
  SmallVector<int32_t> words(configurationWords, 0);
  words[0] = 1;
  for (unsigned number = 0; number < rows.size(); ++number)
    words[4 + number / 2] |= bytesOfRow << (number % 2 * 16);
  SmallVector<Value> sums(configurationWords);
  for (auto [number, count] : llvm::enumerate(rows)) {
    unsigned word = 12 + number / 4, shift = number % 4 * 8;
    if (std::optional<int64_t> constant = getConstantIntValue(count)) {
      words[word] |= static_cast<int32_t>(*constant << shift);
      continue;
    }
    Value value =
        arith::IndexCastOp::create(builder, loc, builder.getI32Type(), cast<Value>(count));
    Value bits = arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(shift));
    value = arith::ShLIOp::create(builder, loc, value, bits);
    Value &sum = sums[word];
    sum = sum ? Value(arith::OrIOp::create(builder, loc, sum, value)) : value;
  }
  auto type = VectorType::get(configurationWords, builder.getI32Type());
  Value constant =
      arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, ArrayRef(words)));
  for (auto [word, sum] : llvm::enumerate(sums)) {
    if (!sum)
      continue;
    Value rest = arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(words[word]));
    constant = vector::InsertOp::create(builder, loc, arith::OrIOp::create(builder, loc, sum, rest),
                                        constant, ArrayRef<int64_t>{static_cast<int64_t>(word)});
  }
  vector::StoreOp::create(builder, loc, constant, memory, ValueRange{index.constant(0)});
}

void AMXRegisters::buildConfigure(IndexBuilder &index, Value memory) {
  call(index, "llvm.x86.ldtilecfg", getPointer(index, memory, index.constant(0)));
}

void AMXRegisters::buildZero(IndexBuilder &index, unsigned number) {
  call(index, "llvm.x86.tilezero", makeNumber(index, number));
}

void AMXRegisters::buildLoad(IndexBuilder &index, unsigned number, const MatrixAccess &access) {
  call(index, "llvm.x86.tileloadd64",
       {makeNumber(index, number), getPointer(index, access.memref, access.first),
        getBytes(index, access.memref, access.distance)});
}

void AMXRegisters::buildStore(IndexBuilder &index, unsigned number, const MatrixAccess &access) {
  call(index, "llvm.x86.tilestored64",
       {makeNumber(index, number), getPointer(index, access.memref, access.first),
        getBytes(index, access.memref, access.distance)});
}

void AMXRegisters::buildProduct(IndexBuilder &index, const layout::Atom &atom, unsigned sums,
                                Factor lhs, Factor rhs) {
  std::string name = "llvm.x86.tdpbf16ps";
  if (atom.kind != layout::AtomFactors::BF16)
    name = std::string("llvm.x86.tdpb") + (lhs.isUnsigned ? 'u' : 's') +
           (rhs.isUnsigned ? 'u' : 's') + 'd';
  call(index, name,
       {makeNumber(index, sums), makeNumber(index, lhs.number), makeNumber(index, rhs.number)});
}

} // namespace tssa::cpu
