//===- EmulateAMX.cpp - registers of matrices in memory -------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function has a copy of the state: the registers, 16 rows of 16 words each, and the rows and
// the words of a row that LDTILECFG gave them. A product of registers whose sizes do not fit
// together would be an invalid instruction; here it adds nothing, so that its results are wrong.
//
//===----------------------------------------------------------------------===//

#include "EmulateAMX.h"
#include "Dot.h"
#include "dialects/layout/Analysis/CodeRules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using mlir::tssa::layout::matrixRegisters;

/// The most rows of a register, and the words of each of them.
static constexpr int64_t side = 16;

namespace tssa::cpu {

StringRef findAMXFeature(StringRef intrinsic) {
  static constexpr std::pair<StringLiteral, StringLiteral> features[] = {
      {"llvm.x86.ldtilecfg", "amx-tile"},   {"llvm.x86.tilezero", "amx-tile"},
      {"llvm.x86.tileloadd64", "amx-tile"}, {"llvm.x86.tilestored64", "amx-tile"},
      {"llvm.x86.tdpbf16ps", "amx-bf16"},   {"llvm.x86.tdpbssd", "amx-int8"},
      {"llvm.x86.tdpbsud", "amx-int8"},     {"llvm.x86.tdpbusd", "amx-int8"},
      {"llvm.x86.tdpbuud", "amx-int8"}};
  for (auto [name, feature] : features)
    if (intrinsic == name)
      return feature;
  return {};
}

} // namespace tssa::cpu

namespace {
/// Builds one instruction after the other.
class Emulator {
public:
  explicit Emulator(func::FuncOp func)
      : b(func.getLoc(), func.getContext()), words(VectorType::get(side, b.getI32Type())) {
    b.setInsertionPointToStart(&func.getBody().front());
    registers = makeMemory(matrixRegisters * side * side, b.getI32Type());
    rows = makeMemory(matrixRegisters, b.getIndexType());
    wordsOfRow = makeMemory(matrixRegisters, b.getIndexType());
  }

  void build(LLVM::CallIntrinsicOp call) {
    b.setInsertionPoint(call);
    b.setLoc(call.getLoc());
    StringRef name = call.getIntrin();
    ValueRange args = call.getArgs();
    if (name == "llvm.x86.ldtilecfg")
      configure(args[0]);
    else if (name == "llvm.x86.tilezero")
      forEachRow(constant(side), [&](Value row) { store(zero(), args[0], row); });
    else if (name == "llvm.x86.tileloadd64")
      load(args[0], args[1], args[2]);
    else if (name == "llvm.x86.tilestored64")
      storeToMemory(args[0], args[1], args[2]);
    else
      multiply(name, args[0], args[1], args[2]);
    call.erase();
  }

private:
  ImplicitLocOpBuilder b;
  VectorType words;
  Value registers, rows, wordsOfRow;

  Value makeMemory(int64_t size, Type type) {
    return memref::AllocaOp::create(b, MemRefType::get({size}, type));
  }
  Value constant(int64_t value) { return arith::ConstantIndexOp::create(b, value); }
  Value constant(VectorType type, int32_t value) {
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(type, b.getIntegerAttr(type.getElementType(), value)));
  }
  Value zero() { return constant(words, 0); }
  Value add(Value lhs, Value rhs) { return arith::AddIOp::create(b, lhs, rhs); }
  Value multiplyIndex(Value lhs, int64_t rhs) {
    return arith::MulIOp::create(b, lhs, constant(rhs));
  }

  Value getNumber(Value number) { return arith::IndexCastOp::create(b, b.getIndexType(), number); }
  Value getRows(Value number) { return memref::LoadOp::create(b, rows, getNumber(number)); }
  Value getWords(Value number) { return memref::LoadOp::create(b, wordsOfRow, getNumber(number)); }
  Value getAddress(Value number, Value row) {
    return add(multiplyIndex(getNumber(number), side * side), multiplyIndex(row, side));
  }
  Value load(Value number, Value row) {
    return vector::LoadOp::create(b, words, registers, ValueRange{getAddress(number, row)});
  }
  void store(Value value, Value number, Value row) {
    vector::StoreOp::create(b, value, registers, ValueRange{getAddress(number, row)});
  }
  Value makeMask(Value count) {
    return vector::CreateMaskOp::create(b, VectorType::get(side, b.getI1Type()), ValueRange{count});
  }

  void forEachRow(Value count, function_ref<void(Value)> body) {
    auto loop = scf::ForOp::create(b, constant(0), count, constant(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(loop.getBody()->getTerminator());
    body(loop.getInductionVar());
  }

  /// Returns the address `bytes` behind `pointer`.
  Value move(Value pointer, Value bytes) {
    bytes = arith::IndexCastOp::create(b, b.getI64Type(), bytes);
    return LLVM::GEPOp::create(b, pointer.getType(), b.getI8Type(), pointer, ValueRange{bytes});
  }
  /// Returns the address of a row in memory, whose rows are `stride` bytes, an i64, apart.
  Value getRow(Value pointer, Value stride, Value row) {
    Value distance = arith::IndexCastOp::create(b, b.getIndexType(), stride);
    return move(pointer, arith::MulIOp::create(b, distance, row));
  }

  void configure(Value pointer) {
    auto loadNumber = [&](unsigned bits, Value at) -> Value {
      Value number = LLVM::LoadOp::create(b, b.getIntegerType(bits), move(pointer, at), 1);
      return arith::IndexCastUIOp::create(b, b.getIndexType(), number);
    };
    forEachRow(constant(matrixRegisters), [&](Value number) {
      Value bytes = loadNumber(16, add(multiplyIndex(number, 2), constant(16)));
      Value count = arith::DivUIOp::create(b, bytes, constant(4));
      memref::StoreOp::create(b, count, wordsOfRow, number);
      memref::StoreOp::create(b, loadNumber(8, add(number, constant(48))), rows, number);
    });
    forEachRow(constant(matrixRegisters * side), [&](Value row) {
      vector::StoreOp::create(b, zero(), registers, ValueRange{multiplyIndex(row, side)});
    });
  }

  void load(Value number, Value pointer, Value stride) {
    forEachRow(constant(side), [&](Value row) {
      Value exists = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, row, getRows(number));
      Value count = arith::SelectOp::create(b, exists, getWords(number), constant(0));
      Value loaded = LLVM::MaskedLoadOp::create(b, words, getRow(pointer, stride, row),
                                                makeMask(count), zero(), /*alignment=*/1);
      store(loaded, number, row);
    });
  }

  void storeToMemory(Value number, Value pointer, Value stride) {
    forEachRow(getRows(number), [&](Value row) {
      LLVM::MaskedStoreOp::create(b, load(number, row), getRow(pointer, stride, row),
                                  makeMask(getWords(number)), /*alignment=*/1);
    });
  }

  /// Whether the sizes of the registers of a product fit together.
  Value fit(Value sums, Value lhs, Value rhs) {
    auto areEqual = [&](Value a, Value c) -> Value {
      return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, a, c);
    };
    Value all = areEqual(getRows(sums), getRows(lhs));
    all = arith::AndIOp::create(b, all, areEqual(getWords(sums), getWords(rhs)));
    return arith::AndIOp::create(b, all, areEqual(getWords(lhs), getRows(rhs)));
  }

  void multiply(StringRef name, Value sums, Value lhs, Value rhs) {
    auto branch = scf::IfOp::create(b, fit(sums, lhs, rhs), /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    forEachRow(getRows(sums), [&](Value row) {
      Value sum = load(sums, row);
      sum = name == "llvm.x86.tdpbf16ps" ? addFloats(sum, lhs, rhs, row)
                                         : addBytes(name, sum, lhs, rhs, row);
      sum = arith::SelectOp::create(b, makeMask(getWords(sums)), sum, zero());
      store(sum, sums, row);
    });
  }

  /// Calls `add` with the words of row `row` of `lhs`, each for all columns, and those of `rhs`.
  SmallVector<Value> forEachWord(Value lhs, Value rhs, Value row, ValueRange inits,
                                 function_ref<SmallVector<Value>(Value, Value, ValueRange)> add) {
    auto loop = scf::ForOp::create(b, constant(0), getWords(lhs), constant(1), inits);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(loop.getBody());
    Value step = loop.getInductionVar();
    Value at = this->add(getAddress(lhs, row), step);
    Value word = memref::LoadOp::create(b, registers, at);
    word = vector::BroadcastOp::create(b, words, word);
    scf::YieldOp::create(b, add(word, load(rhs, step), loop.getRegionIterArgs()));
    return SmallVector<Value>(loop.getResults());
  }

  /// TDPBF16PS adds the products of the first elements of all words, then those of the second ones,
  /// and at last both to the sum.
  Value addFloats(Value sum, Value lhs, Value rhs, Value row) {
    auto floats = words.clone(b.getF32Type());
    Value none = arith::ConstantOp::create(b, b.getZeroAttr(floats));
    SmallVector<Value> parts =
        forEachWord(lhs, rhs, row, {none, none}, [&](Value left, Value right, ValueRange inner) {
          SmallVector<Value> next;
          for (auto [second, value] : llvm::enumerate(inner))
            next.push_back(::tssa::cpu::addBF16Product(b, value, left, right, second == 1));
          return next;
        });
    Value both = arith::AddFOp::create(b, parts[0], parts[1]);
    both = arith::AddFOp::create(b, arith::BitcastOp::create(b, floats, sum), both);
    return arith::BitcastOp::create(b, words, both);
  }

  Value addBytes(StringRef name, Value sum, Value lhs, Value rhs, Value row) {
    StringRef signs = name.substr(StringRef("llvm.x86.tdpb").size());
    return forEachWord(lhs, rhs, row, sum,
                       [&](Value left, Value right, ValueRange inner) {
                         return SmallVector<Value>{::tssa::cpu::addByteProducts(
                             b, inner[0], left, right, signs[0] == 'u', signs[1] == 'u')};
                       })
        .front();
  }
};
} // namespace

namespace tssa::cpu {

void emulateAMX(func::FuncOp func, ArrayRef<LLVM::CallIntrinsicOp> calls) {
  if (calls.empty())
    return;
  Emulator emulator(func);
  for (LLVM::CallIntrinsicOp call : calls)
    emulator.build(call);
}

} // namespace tssa::cpu
