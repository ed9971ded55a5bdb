//===- Narrowing.cpp - f64 to types of 16 bits ---------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/TypeUtilities.h"
#include "tssa/Conversion/ExpandMath.h"
#include "tssa/Conversion/FloatBuilder.h"

using namespace mlir;

namespace tssa {
namespace {

/// Narrows f64 to f16 or bf16 through f32. The first step rounds to odd, so that the second step
/// sees on which side of a tie the number lies.
struct NarrowDouble : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op, PatternRewriter &rewriter) const override {
    Type from = op.getIn().getType(), f64 = rewriter.getF64Type();
    if (getElementTypeOrSelf(from) != f64 ||
        getElementTypeOrSelf(op.getType()).getIntOrFloatBitWidth() >= 32)
      return failure();
    Location loc = op.getLoc();
    auto vector = dyn_cast<VectorType>(from);
    Type single = vector ? Type(vector.clone(rewriter.getF32Type())) : rewriter.getF32Type();
    Value x = op.getIn();
    Value nearest = arith::TruncFOp::create(rewriter, loc, single, x);
    Value back = arith::ExtFOp::create(rewriter, loc, from, nearest);
    Value magnitude = math::AbsFOp::create(rewriter, loc, x);
    Value reached = math::AbsFOp::create(rewriter, loc, back);
    FloatBuilder b(rewriter, loc, single);
    Value bits = b.bitsOf(nearest);
    Value isShort = b.compare(arith::CmpFPredicate::OLT, reached, magnitude);
    Value neighbour = b.select(isShort, b.addInt(bits, b.i(1)), b.subInt(bits, b.i(1)));
    Value isOdd = b.isEqual(b.andInt(bits, b.i(1)), b.i(1));
    // UEQ also holds for NaN.
    Value isExact = b.compare(arith::CmpFPredicate::UEQ, reached, magnitude);
    Value odd = b.select(isExact, bits, b.select(isOdd, bits, neighbour));
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), b.fromBits(odd));
    return success();
  }
};

} // namespace

void populateNarrowingPatterns(RewritePatternSet &patterns) {
  patterns.add<NarrowDouble>(patterns.getContext());
}

} // namespace tssa
