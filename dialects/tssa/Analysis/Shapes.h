//===- Shapes.h - values that have the shape of another -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TSSA_ANALYSIS_SHAPES_H
#define DIALECTS_TSSA_ANALYSIS_SHAPES_H

#include "mlir/IR/Builders.h"

namespace mlir::tssa::refs {

/// Returns the values that control flow passes to `value`, an argument or a result of scf.if,
/// scf.for or scf.while; empty for other values.
SmallVector<Value> getIncoming(Value value);

/// Returns the earliest value that is known to have the sizes of `tensor`. Looks through assigns,
/// updates and control flow that carries a tensor of one shape.
Value getShapeOrigin(Value tensor);

/// Returns the sizes of `tensor`, read from its shape origin. The sizes of an access are derived
/// from the sizes of its base and from its path.
SmallVector<OpFoldResult> getSizes(OpBuilder &builder, Location loc, Value tensor);

} // namespace mlir::tssa::refs

#endif // DIALECTS_TSSA_ANALYSIS_SHAPES_H
