//===- Approximations.cpp - functions on f32 by polynomials --------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpandMath.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tssa::cpu {

void populateApproximations(RewritePatternSet &patterns) {
  populateMathPolynomialApproximationPatterns(patterns, [](StringRef name) {
    return llvm::is_contained({"math.exp", "math.log", "math.log2", "math.log1p", "math.expm1",
                               "math.tanh", "math.erf", "math.sin", "math.cos"},
                              name);
  }, 2);
}

} // namespace tssa::cpu
