//===- Angles.h - sines and cosines ----------------------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_CONVERSION_EXPANDMATH_ANGLES_H
#define LIB_CONVERSION_EXPANDMATH_ANGLES_H

#include "mlir/IR/PatternMatch.h"

namespace tssa {

/// Patterns that expand sines and cosines of f32. For large arguments, they leave an op with
/// `largeAngleAttr`.
void populateAngles(mlir::RewritePatternSet &patterns);

} // namespace tssa

#endif // LIB_CONVERSION_EXPANDMATH_ANGLES_H
