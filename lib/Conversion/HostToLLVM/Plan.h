//===- Plan.h - the bytes that a run will need -----------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_CONVERSION_HOSTTOLLVM_PLAN_H
#define LIB_CONVERSION_HOSTTOLLVM_PLAN_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tssa {

/// Writes `@tssa_plan` from `@plan`, which is a block of integer arithmetic. `@tssa_plan` returns
/// TSSA_OUT_OF_MEMORY if a sum, difference or product overflows, if a division is undefined, or if
/// the result is negative.
mlir::LogicalResult convertPlan(mlir::func::FuncOp plan);

} // namespace tssa

#endif // LIB_CONVERSION_HOSTTOLLVM_PLAN_H
