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

/// The value that comes into each argument or result of scf.if, scf.for and scf.while;
/// nothing for other values.
SmallVector<Value> getIncoming(Value value);

/// The first value that is known to have the sizes of `tensor`: looks through assigns,
/// updates and control flow that carries a tensor of one shape.
Value getShapeOrigin(Value tensor);

/// The sizes of `tensor`, read where its origin is defined; those of an access are those
/// of its path.
SmallVector<OpFoldResult> getSizes(OpBuilder &builder, Location loc, Value tensor);

} // namespace mlir::tssa::refs

#endif // DIALECTS_TSSA_ANALYSIS_SHAPES_H
