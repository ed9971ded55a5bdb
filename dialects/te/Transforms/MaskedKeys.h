//===- MaskedKeys.h - keys of attention that have no weight -----*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A causal mask adds -inf, or the least finite number, to the score of each key that comes after
/// the row: the weight of the key is then 0, if its product is finite. Exporters write it as a
/// comparison of indexes, as a tensor that such a comparison makes, or as a constant.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_TRANSFORMS_MASKEDKEYS_H
#define DIALECTS_TE_TRANSFORMS_MASKEDKEYS_H

#include "dialects/te/IR/TEOps.h"

namespace mlir::tssa::te {

/// A product whose absolute value is less than this does not change the sum with a mask.
inline constexpr double mostBesideMask = 1e30;

/// Returns an expression over the dims of `reader`, in whose body `score` is computed. Where it is
/// not negative, the weight of the score in a softmax over the last of these dims is 0, provided
/// that all factors of the product that the score is computed from are finite and all products are
/// less than `mostBesideMask`. Returns null if none is found.
AffineExpr findMaskedKeys(ComputeOp reader, Value score);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_TRANSFORMS_MASKEDKEYS_H
