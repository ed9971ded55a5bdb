//===- Dot.cpp - dot products of x86 --------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dot.h"
#include "EmulateAMX.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"
#include "tssa/Target/CPU/Passes.h"

namespace tssa::cpu {
#define GEN_PASS_DEF_EXPANDDOTS
#include "tssa/Target/CPU/Passes.h.inc"
} // namespace tssa::cpu

using namespace mlir;
using namespace mlir::tssa;

namespace {
/// An instruction of LLVM, and the feature of a CPU that has it.
struct Instruction {
  StringLiteral atom, intrinsic, feature;
};
} // namespace

static constexpr Instruction instructions[] = {
    {"avx512.bf16", "llvm.x86.avx512bf16.dpbf16ps.512", "avx512bf16"},
    {"avx512.vnni", "llvm.x86.avx512.vpdpbusd.512", "avx512vnni"},
    {"avx.vnni", "llvm.x86.avx512.vpdpbusd.256", "avxvnni"},
};

namespace tssa::cpu {

Value buildDot(OpBuilder &builder, Location loc, const layout::Atom &atom, Value sums, Value lhs,
               Value rhs) {
  Type element = atom.kind == layout::AtomFactors::BF16 ? Type(builder.getBF16Type())
                                                        : Type(builder.getI8Type());
  auto type = VectorType::get(atom.columns * atom.steps, element);
  auto toElements = [&](Value words) {
    return vector::BitCastOp::create(builder, loc, type, words);
  };
  const Instruction *found = llvm::find_if(
      instructions, [&](const Instruction &instruction) { return instruction.atom == atom.name; });
  auto call = LLVM::CallIntrinsicOp::create(builder, loc, sums.getType(),
                                            builder.getStringAttr(found->intrinsic),
                                            ValueRange{sums, toElements(lhs), toElements(rhs)});
  return call.getResult(0);
}

} // namespace tssa::cpu

//===----------------------------------------------------------------------===//
// Machines without them
//===----------------------------------------------------------------------===//

static Value makeWords(ImplicitLocOpBuilder &builder, VectorType type, uint32_t value) {
  return arith::ConstantOp::create(
      builder,
      DenseElementsAttr::get(type, builder.getI32IntegerAttr(static_cast<int32_t>(value))));
}

namespace tssa::cpu {

Value addBF16Product(ImplicitLocOpBuilder &builder, Value sums, Value lhs, Value rhs, bool second) {
  auto type = cast<VectorType>(sums.getType());
  auto words = type.clone(builder.getI32Type());
  auto getFloats = [&](Value word) -> Value {
    Value bits =
        second ? arith::AndIOp::create(builder, word, makeWords(builder, words, 0xffff0000))
                     .getResult()
               : arith::ShLIOp::create(builder, word, makeWords(builder, words, 16)).getResult();
    return arith::BitcastOp::create(builder, type, bits);
  };
  return math::FmaOp::create(builder, getFloats(lhs), getFloats(rhs), sums);
}

Value addByteProducts(ImplicitLocOpBuilder &builder, Value sums, Value lhs, Value rhs,
                      bool lhsUnsigned, bool rhsUnsigned) {
  auto words = cast<VectorType>(sums.getType());
  auto getByte = [&](Value word, unsigned byte, bool isUnsigned) -> Value {
    word = arith::ShLIOp::create(builder, word, makeWords(builder, words, 24 - 8 * byte));
    Value shift = makeWords(builder, words, 24);
    return isUnsigned ? arith::ShRUIOp::create(builder, word, shift).getResult()
                      : arith::ShRSIOp::create(builder, word, shift).getResult();
  };
  for (unsigned byte = 0; byte < 4; ++byte) {
    Value product = arith::MulIOp::create(builder, getByte(lhs, byte, lhsUnsigned),
                                          getByte(rhs, byte, rhsUnsigned));
    sums = arith::AddIOp::create(builder, sums, product);
  }
  return sums;
}

} // namespace tssa::cpu

/// Computes what the instruction does; VDPBF16PS adds the product of the second elements first, and
/// takes bf16 that are not normal as zero.
static Value expandDot(LLVM::CallIntrinsicOp call, bool isFloat) {
  ImplicitLocOpBuilder builder(call.getLoc(), call);
  Value sums = call.getArgs()[0];
  auto type = cast<VectorType>(sums.getType()).clone(builder.getI32Type());
  Value lhs = vector::BitCastOp::create(builder, type, call.getArgs()[1]);
  Value rhs = vector::BitCastOp::create(builder, type, call.getArgs()[2]);
  if (!isFloat)
    return ::tssa::cpu::addByteProducts(builder, sums, lhs, rhs, /*lhsUnsigned=*/true,
                                        /*rhsUnsigned=*/false);
  for (bool second : {true, false})
    sums = ::tssa::cpu::addBF16Product(builder, sums, lhs, rhs, second);
  return sums;
}

namespace {
struct ExpandDots : ::tssa::cpu::impl::ExpandDotsBase<ExpandDots> {
  using ExpandDotsBase::ExpandDotsBase;

  void runOnOperation() final {
    SmallVector<LLVM::CallIntrinsicOp> ofMatrices;
    getOperation().walk([&](LLVM::CallIntrinsicOp call) {
      const Instruction *found = llvm::find_if(instructions, [&](const Instruction &instruction) {
        return instruction.intrinsic == call.getIntrin();
      });
      if (found != std::end(instructions))
        visitDot(call, *found);
      else if (!::tssa::cpu::findAMXFeature(call.getIntrin()).empty())
        ofMatrices.push_back(call);
    });
    if (emulates)
      ::tssa::cpu::emulateAMX(getOperation(), ofMatrices);
    else if (!ofMatrices.empty())
      visitMatrices(ofMatrices);
  }

private:
  /// Whether the CPU has an instruction. If not, says so.
  bool check(LLVM::CallIntrinsicOp call, StringRef atom, StringRef feature, bool isThere) {
    if (isThere || llvm::is_contained(features, feature))
      return true;
    call.emitError("'") << atom << "' needs " << feature
                        << ", which this CPU does not have: compile for another one, or with "
                           "--atom=emulate";
    signalPassFailure();
    return false;
  }

  void visitDot(LLVM::CallIntrinsicOp call, const Instruction &instruction) {
    if (!emulates) {
      // AVX-512 has that of 256 bits, too.
      (void)check(call, instruction.atom, instruction.feature,
                  instruction.atom == "avx.vnni" && llvm::is_contained(features, "avx512vnni"));
      return;
    }
    call.getResult(0).replaceAllUsesWith(expandDot(call, instruction.atom == "avx512.bf16"));
    call.erase();
  }

  /// Gives the registers of matrices back where the function returns: the CPU need not save them
  /// from there on.
  void visitMatrices(ArrayRef<LLVM::CallIntrinsicOp> calls) {
    for (LLVM::CallIntrinsicOp call : calls) {
      StringRef feature = ::tssa::cpu::findAMXFeature(call.getIntrin());
      std::string atom = feature.str(); // that of a product is the name of the atom
      std::replace(atom.begin(), atom.end(), '-', '.');
      if (feature != "amx-tile" && !check(call, atom, feature, /*isThere=*/false))
        return;
    }
    getOperation().walk([](func::ReturnOp end) {
      OpBuilder builder(end);
      LLVM::CallIntrinsicOp::create(builder, end.getLoc(),
                                    builder.getStringAttr("llvm.x86.tilerelease"), ValueRange());
    });
  }
};
} // namespace
