//===- OutlineMembers.h - functions for what an iteration computes -------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_CONVERSION_KERNELTOLOOPS_OUTLINEMEMBERS_H
#define LIB_CONVERSION_KERNELTOLOOPS_OUTLINEMEMBERS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace tssa::conversion {

/// Builds `body` so that `outlineMembers` makes a function of it, with `label` in its name. The
/// loops of several products in one function would compete for registers: some accumulators would
/// be stored and loaded in the innermost loops.
mlir::LogicalResult buildOutlined(mlir::OpBuilder &builder, mlir::Location loc,
                                  llvm::StringRef label,
                                  llvm::function_ref<mlir::LogicalResult()> body);

/// Returns the op whose code is a function of its own, in which `block` is: one that
/// `buildOutlined` is building, or the function itself.
mlir::Operation *findFunction(mlir::Block *block);

/// Moves what `buildOutlined` has built in `func` to private functions, which `func` calls.
void outlineMembers(mlir::func::FuncOp func);

} // namespace tssa::conversion

#endif // LIB_CONVERSION_KERNELTOLOOPS_OUTLINEMEMBERS_H
