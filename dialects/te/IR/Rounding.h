//===- Rounding.h - expressions that round floats or widen them -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_IR_ROUNDING_H
#define DIALECTS_TE_IR_ROUNDING_H

#include "dialects/te/IR/TEOps.h"

namespace mlir::tssa::te {

/// Returns the bits of an f32, rounded to the 10 bits of mantissa of tf32: to nearest, ties away
/// from zero, as cvt.rna.tf32.f32 does. A NaN stays as it is.
uint32_t roundToTF32(uint32_t bits);

/// Builds what `roundToTF32` computes, from and to a value of type f32.
Value buildRoundToTF32(OpBuilder &builder, Location loc, Value value);

/// Returns whether `op` is the last one of those that `buildRoundToTF32` builds.
bool isRoundToTF32(Operation *op);

/// Marks `product`, an arith.mulf of f32: each of its factors has a value of tf32. So instructions
/// that ignore the other bits may compute it.
void markTF32Product(Operation *product);

/// Returns whether `product` has the mark, which its copies keep.
bool isTF32Product(Operation *product);

/// Returns whether `op` is no reduction, and each of its elements is rounded to a shorter type of
/// floats or to tf32 by the last op of its body.
bool isRounding(ComputeOp op);

/// Returns whether all that `op` does is to read an element and to extend it to a longer type of
/// floats.
bool isWidening(ComputeOp op);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_IR_ROUNDING_H
