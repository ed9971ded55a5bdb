//===- Numeric.h - scalar operations of the evaluator -----------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_REFERENCE_NUMERIC_H
#define LIB_REFERENCE_NUMERIC_H

#include "BodyProgram.h"
#include "mlir/IR/Operation.h"

namespace tssa::reference {

/// Returns the instruction for a scalar op of arith or math, or nothing if there is none. The
/// caller fills in operands and result. Results of float ops are rounded to the type of the op.
std::optional<Instruction> getScalarInstruction(mlir::Operation *op);

/// Returns the scalar of a numeric attribute; nothing for other attributes.
std::optional<Scalar> getScalar(mlir::Attribute attribute);

} // namespace tssa::reference

#endif // LIB_REFERENCE_NUMERIC_H
