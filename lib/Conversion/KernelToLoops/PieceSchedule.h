//===- PieceSchedule.h - the loops of one piece of an expression -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_CONVERSION_KERNELTOLOOPS_PIECESCHEDULE_H
#define LIB_CONVERSION_KERNELTOLOOPS_PIECESCHEDULE_H

#include "mlir/IR/IRMapping.h"
#include "tssa/Conversion/LoopNest.h"

namespace tssa::conversion {

/// One piece of an expression with its schedule.
struct ScheduledPiece {
  Schedule schedule;
  llvm::SmallVector<mlir::AffineExpr> extents; ///< of the dims
  /// Constraints over the dims and the symbols of the expression that its box does not express;
  /// null if there are none.
  mlir::IntegerSet rest;
};

/// Consecutive indexes along a dim. A null offset stands for all of them.
struct IndexSpan {
  mlir::AffineExpr offset, extent;
};

/// Returns the label of `op`, or "" if it has none.
llvm::StringRef getLabel(mlir::tssa::te::ComputeOp op);

/// Returns the sizes of all dims of `op`. `values` maps the kernel's values to the function's.
llvm::SmallVector<mlir::AffineExpr> getExtents(IndexBuilder &index, mlir::tssa::te::ComputeOp op,
                                               const mlir::IRMapping &values);

/// Reads the schedule of piece `piece` of `op`. A parallel dim with an offset in `spans` has only
/// the iterations of that span.
mlir::FailureOr<ScheduledPiece> schedulePiece(IndexBuilder &index, mlir::tssa::te::KernelOp kernel,
                                              mlir::tssa::te::ComputeOp op, unsigned piece,
                                              const mlir::IRMapping &values,
                                              llvm::ArrayRef<IndexSpan> spans = {});

/// Converts `expr` from an expression over dims to one over the live loops of `schedule`.
mlir::AffineExpr getLiveExpr(IndexBuilder &index, const Schedule &schedule, mlir::AffineExpr expr);

mlir::AffineExpr getProduct(llvm::ArrayRef<mlir::AffineExpr> factors, mlir::MLIRContext *context);

/// Declares all loops of `schedule` and enters the parallel loops at their iteration `number`.
/// Calls `atLoop` for each parallel loop.
mlir::LogicalResult enterParallelLoops(IndexBuilder &index, const Schedule &schedule,
                                       mlir::Value number, AtLoopFn atLoop);
void leaveParallelLoops(IndexBuilder &index, const Schedule &schedule);

/// Returns the number of iterations of the parallel loops together.
mlir::AffineExpr getParallelCount(const Schedule &schedule, mlir::MLIRContext *context);

} // namespace tssa::conversion

#endif // LIB_CONVERSION_KERNELTOLOOPS_PIECESCHEDULE_H
