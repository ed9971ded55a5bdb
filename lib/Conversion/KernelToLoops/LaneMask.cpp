//===- LaneMask.cpp - which lanes of a vector exist, as data --------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Conversion/LaneMask.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace ::tssa::conversion;

/// Restricts `known` to the lanes of `mask`. Returns false if it says more than a LaneMask can.
static bool restrict(LaneMask &known, const IndexBuilder &index, Value mask) {
  if (auto both = mask.getDefiningOp<arith::AndIOp>())
    return restrict(known, index, both.getLhs()) &&restrict(known, index, both.getRhs());
  if (AffineExpr expr = index.findLaneCondition(mask)) {
    known.atLeastZero.push_back(expr);
    return true;
  }
  if (auto broadcast = mask.getDefiningOp<vector::BroadcastOp>()) {
    known.uniform.push_back(broadcast.getSource());
    return broadcast.getSource().getType().isInteger(1);
  }
  auto prefix = mask.getDefiningOp<vector::CreateMaskOp>();
  if (!prefix)
    return false;
  if (std::optional<int64_t> count = getConstantIntValue(prefix.getOperand(0)))
    known.count = std::clamp<int64_t>(*count, 0, known.count);
  else
    known.counts.push_back(prefix.getOperand(0));
  return true;
}

std::optional<LaneMask> LaneMask::read(const IndexBuilder &index, Value mask, int64_t lanes) {
  LaneMask known;
  known.count = lanes;
  if (mask && !restrict(known, index, mask))
    return std::nullopt;
  return known;
}
