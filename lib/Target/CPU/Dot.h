//===- Dot.h - dot products of x86 ------------------------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_TARGET_CPU_DOT_H
#define LIB_TARGET_CPU_DOT_H

#include "dialects/layout/IR/Atoms.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tssa::cpu {

/// Builds the instruction that `atom` names: adds to `sums` the products of `lhs` and `rhs`,
/// vectors of words.
mlir::Value buildDot(mlir::OpBuilder &builder, mlir::Location loc,
                     const mlir::tssa::layout::Atom &atom, mlir::Value sums, mlir::Value lhs,
                     mlir::Value rhs);

/// Adds to `sums`, a vector of f32, the products of the first or second bf16 of words.
mlir::Value addBF16Product(mlir::ImplicitLocOpBuilder &builder, mlir::Value sums, mlir::Value lhs,
                           mlir::Value rhs, bool second);
/// Adds to `sums`, a vector of i32, the products of the bytes of words.
mlir::Value addByteProducts(mlir::ImplicitLocOpBuilder &builder, mlir::Value sums, mlir::Value lhs,
                            mlir::Value rhs, bool lhsUnsigned, bool rhsUnsigned);

} // namespace tssa::cpu

#endif // LIB_TARGET_CPU_DOT_H
