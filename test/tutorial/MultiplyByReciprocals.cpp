//===- MultiplyByReciprocals.cpp - a pass of the tutorial -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// 1. Find the divisions by a constant.
/// 2. Ask whether the reciprocal of the constant is exact: then both operations round
///    the same real number, and their results are equal.
/// 3. Replace the division, and say so in a remark.
///
//===----------------------------------------------------------------------===//

#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "test/tutorial/Passes.h"

namespace tutorial {
#define GEN_PASS_DEF_MULTIPLYBYRECIPROCALS
#include "test/tutorial/Passes.h.inc"
} // namespace tutorial

using namespace mlir;

/// The reciprocal of `divisor`, if it needs no rounding.
static std::optional<APFloat> getExactReciprocal(const APFloat &divisor) {
  APFloat reciprocal = divisor;
  if (!divisor.getExactInverse(&reciprocal))
    return std::nullopt;
  return reciprocal;
}

namespace {
struct MultiplyByReciprocals : tutorial::impl::MultiplyByReciprocalsBase<MultiplyByReciprocals> {
  void runOnOperation() override {
    SmallVector<arith::DivFOp> divisions;
    getOperation()->walk([&](arith::DivFOp division) { divisions.push_back(division); });
    for (arith::DivFOp division : divisions)
      visit(division);
  }

private:
  void visit(arith::DivFOp division) {
    APFloat divisor(0.0);
    if (!matchPattern(division.getRhs(), m_ConstantFloat(&divisor)))
      return;
    auto options = remark::RemarkOpts::name("reciprocal").category(getArgument());
    SmallString<16> text;
    divisor.toString(text);
    std::optional<APFloat> reciprocal = getExactReciprocal(divisor);
    if (!reciprocal) {
      remark::missed(division.getLoc(), options)
          << remark::reason("the reciprocal is not exact") << remark::metric("Divisor", text);
      return;
    }
    remark::passed(division.getLoc(), options)
        << remark::add("a multiplication") << remark::metric("Divisor", text);
    replace(division, *reciprocal);
    ++numReplaced;
  }

  void replace(arith::DivFOp division, const APFloat &reciprocal) {
    OpBuilder builder(division);
    auto type = cast<FloatType>(division.getType());
    Value factor = arith::ConstantFloatOp::create(builder, division.getLoc(), type, reciprocal);
    Value product = arith::MulFOp::create(builder, division.getLoc(), division.getLhs(), factor,
                                          division.getFastmath());
    division.replaceAllUsesWith(product);
    division.erase();
  }
};
} // namespace
