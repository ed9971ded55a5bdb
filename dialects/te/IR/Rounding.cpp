//===- Rounding.cpp - expressions that round floats or widen them -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/IR/Rounding.h"
#include "dialects/te/IR/ProgramNames.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

/// The bits of an f32 that tf32 does not have, and half of the last one that it has.
static constexpr uint32_t lowBits = 0x1FFF, half = 0x1000;

uint32_t te::roundToTF32(uint32_t bits) {
  constexpr uint32_t infinity = 0x7F800000, magnitude = 0x7FFFFFFF;
  bool isNaN = (bits & magnitude) > infinity;
  return isNaN ? bits : (bits + half) & ~lowBits;
}

Value te::buildRoundToTF32(OpBuilder &builder, Location loc, Value value) {
  Type i32 = builder.getI32Type();
  auto constant = [&](uint32_t bits) {
    return arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(int32_t(bits)));
  };
  Value bits = arith::BitcastOp::create(builder, loc, i32, value);
  Value sum = arith::AddIOp::create(builder, loc, bits, constant(half));
  Value kept = arith::AndIOp::create(builder, loc, sum, constant(~lowBits));
  Value rounded = arith::BitcastOp::create(builder, loc, value.getType(), kept);
  Value isNaN = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO, value, value);
  return arith::SelectOp::create(builder, loc, isNaN, value, rounded);
}

bool te::isRoundToTF32(Operation *op) {
  auto select = dyn_cast_if_present<arith::SelectOp>(op);
  auto rounded =
      select ? select.getFalseValue().getDefiningOp<arith::BitcastOp>() : arith::BitcastOp();
  auto kept = rounded ? rounded.getIn().getDefiningOp<arith::AndIOp>() : arith::AndIOp();
  APInt mask;
  return kept && rounded.getType().isF32() && matchPattern(kept.getRhs(), m_ConstantInt(&mask)) &&
         mask == uint64_t(uint32_t(~lowBits));
}

void te::markTF32Product(Operation *product) {
  product->setDiscardableAttr(tf32Name, UnitAttr::get(product->getContext()));
}

bool te::isTF32Product(Operation *product) { return product->hasAttr(tf32Name); }

bool te::isRounding(ComputeOp op) {
  if (op.hasReduction())
    return false;
  return llvm::all_of(op.getPieces(), [](Region &piece) {
    return llvm::all_of(piece.front().getTerminator()->getOperands(), [](Value value) {
      Operation *last = value.getDefiningOp();
      return isa_and_nonnull<arith::TruncFOp>(last) || isRoundToTF32(last);
    });
  });
}

bool te::isWidening(ComputeOp op) {
  if (op.hasReduction() || op.getPieces().size() != 1 || op.getNumResults() != 1)
    return false;
  auto extended = op.getPieceBlock()->getTerminator()->getOperand(0).getDefiningOp<arith::ExtFOp>();
  auto read = extended ? extended.getIn().getDefiningOp<ReadOp>() : ReadOp();
  return read && llvm::all_of(op.getPieceBlock()->without_terminator(), [&](Operation &each) {
           return &each == extended || &each == read || isa<IndexOp>(each);
         });
}
