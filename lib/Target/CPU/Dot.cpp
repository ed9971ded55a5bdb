//===- Dot.cpp - dot products of x86 --------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dot.h"
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

/// Computes what VDPBF16PS does, but for bf16 that are not normal, which it takes as zero: the
/// product of the second elements is added first.
static Value expandBF16(ImplicitLocOpBuilder &builder, Value sums, Value lhs, Value rhs) {
  auto type = cast<VectorType>(sums.getType());
  auto words = type.clone(builder.getI32Type());
  auto constant = [&](uint32_t value) -> Value {
    return arith::ConstantOp::create(
        builder, DenseElementsAttr::get(words, builder.getI32IntegerAttr(int32_t(value))));
  };
  auto getFloats = [&](Value elements, bool second) -> Value {
    Value word = vector::BitCastOp::create(builder, words, elements);
    Value bits = second ? arith::AndIOp::create(builder, word, constant(0xffff0000)).getResult()
                        : arith::ShLIOp::create(builder, word, constant(16)).getResult();
    return arith::BitcastOp::create(builder, type, bits);
  };
  for (bool second : {true, false})
    sums = math::FmaOp::create(builder, getFloats(lhs, second), getFloats(rhs, second), sums);
  return sums;
}

/// Computes what VPDPBUSD does: `lhs` are u8, `rhs` s8.
static Value expandBytes(ImplicitLocOpBuilder &builder, Value sums, Value lhs, Value rhs) {
  auto words = cast<VectorType>(sums.getType());
  auto constant = [&](int32_t value) -> Value {
    return arith::ConstantOp::create(
        builder, DenseElementsAttr::get(words, builder.getI32IntegerAttr(value)));
  };
  lhs = vector::BitCastOp::create(builder, words, lhs);
  rhs = vector::BitCastOp::create(builder, words, rhs);
  for (int32_t byte = 0; byte < 4; ++byte) {
    Value x = arith::ShRUIOp::create(builder, lhs, constant(8 * byte));
    x = arith::AndIOp::create(builder, x, constant(0xff));
    Value y = arith::ShLIOp::create(builder, rhs, constant(24 - 8 * byte));
    y = arith::ShRSIOp::create(builder, y, constant(24));
    sums = arith::AddIOp::create(builder, sums, arith::MulIOp::create(builder, x, y));
  }
  return sums;
}

namespace {
struct ExpandDots : ::tssa::cpu::impl::ExpandDotsBase<ExpandDots> {
  using ExpandDotsBase::ExpandDotsBase;

  void runOnOperation() final {
    getOperation().walk([&](LLVM::CallIntrinsicOp call) {
      const Instruction *found = llvm::find_if(instructions, [&](const Instruction &instruction) {
        return instruction.intrinsic == call.getIntrin();
      });
      if (found == std::end(instructions) || (!emulates && hasFeature(*found)))
        return;
      if (emulates)
        return expand(call, *found);
      call.emitError("'") << found->atom << "' needs " << found->feature
                          << ", which this CPU does not have: compile for another one, or with "
                             "--atom=emulate";
      signalPassFailure();
    });
  }

private:
  /// Whether the CPU has an instruction. AVX-512 has that of 256 bits, too.
  bool hasFeature(const Instruction &instruction) const {
    return llvm::is_contained(features, instruction.feature) ||
           (instruction.atom == "avx.vnni" && llvm::is_contained(features, "avx512vnni"));
  }

  static void expand(LLVM::CallIntrinsicOp call, const Instruction &instruction) {
    ImplicitLocOpBuilder builder(call.getLoc(), call);
    ValueRange args = call.getArgs();
    bool isFloat = instruction.atom == "avx512.bf16";
    call.getResult(0).replaceAllUsesWith(isFloat ? expandBF16(builder, args[0], args[1], args[2])
                                                 : expandBytes(builder, args[0], args[1], args[2]));
    call.erase();
  }
};
} // namespace
