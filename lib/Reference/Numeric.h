//===- Numeric.h - what scalar operations compute --------------*- C++ -*-===//
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

/// The instruction for a scalar op of arith or math, its operands and result
/// still to be filled; nothing if there is none. Results of float ops are rounded
/// to the op's type.
std::optional<Instruction> getScalarInstruction(mlir::Operation *op);

/// The scalar that an attribute of a number stands for; nothing for others.
std::optional<Scalar> getScalar(mlir::Attribute attribute);

} // namespace tssa::reference

#endif // LIB_REFERENCE_NUMERIC_H
