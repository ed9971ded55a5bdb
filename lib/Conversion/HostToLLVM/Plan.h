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

/// Writes `@tssa_plan` from `@plan`, a block of integer arithmetic. Sums,
/// differences and products that overflow, divisions that are undefined and a
/// negative result give TSSA_OUT_OF_MEMORY.
mlir::LogicalResult convertPlan(mlir::func::FuncOp plan);

} // namespace tssa

#endif // LIB_CONVERSION_HOSTTOLLVM_PLAN_H
