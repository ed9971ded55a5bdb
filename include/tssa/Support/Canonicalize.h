//===- Canonicalize.h - canonicalizer without an unsound pattern -*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_SUPPORT_CANONICALIZE_H
#define TSSA_SUPPORT_CANONICALIZE_H

#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/Passes.h"

namespace tssa {

/// A pattern of scf.for that gives a loop-carried tensor the static type of its initial value. A
/// tensor whose size changes in the loop would keep its initial size. MLIR identifies the pattern
/// only by the name of its class, so a unit test checks that a pattern of this name exists.
inline constexpr llvm::StringLiteral unsoundPattern =
    "(anonymous namespace)::ForOpTensorCastFolder";

/// MLIR's canonicalizer without `unsoundPattern`.
inline std::unique_ptr<mlir::Pass> createSoundCanonicalizerPass() {
  return mlir::createCanonicalizerPass({}, {unsoundPattern.str()});
}

} // namespace tssa

#endif // TSSA_SUPPORT_CANONICALIZE_H
