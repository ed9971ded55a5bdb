//===- LayoutOps.h - the layout dialect -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_IR_LAYOUTOPS_H
#define DIALECTS_LAYOUT_IR_LAYOUTOPS_H

#include "dialects/layout/IR/LayoutAttributes.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"

#include "dialects/layout/IR/LayoutDialect.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/layout/IR/LayoutTypes.h.inc"

#define GET_OP_CLASSES
#include "dialects/layout/IR/LayoutOps.h.inc"

namespace mlir::tssa::layout {

/// Returns the op that names the loops of the expression that `loop` is a loop of, before splits
/// and fusions, or null if the schedule does not define `loop` so.
LoopsOp getLoopsOp(Value loop);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_IR_LAYOUTOPS_H
