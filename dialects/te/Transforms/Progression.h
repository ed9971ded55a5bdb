//===- Progression.h - constants whose elements follow from their positions -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_TRANSFORMS_PROGRESSION_H
#define DIALECTS_TE_TRANSFORMS_PROGRESSION_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"

namespace mlir::tssa::te {

/// If each element of an integer constant is a sum of a first element and a step for each dim times
/// the position along this dim, as in [3, 5, 7], returns this sum over dims; otherwise null.
AffineExpr findProgression(ElementsAttr constant);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_TRANSFORMS_PROGRESSION_H
