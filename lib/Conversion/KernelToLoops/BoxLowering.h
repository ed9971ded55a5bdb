//===- BoxLowering.h - loops over a box without a schedule of its own -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_CONVERSION_KERNELTOLOOPS_BOXLOWERING_H
#define LIB_CONVERSION_KERNELTOLOOPS_BOXLOWERING_H

#include "BodyEvaluator.h"

namespace tssa::conversion {

/// A box of points that can be computed in any order: the points of a te.update, the elements of
/// its base, or the lines of a te.scan.
struct PointBox {
  llvm::SmallVector<mlir::AffineExpr> extents;
  /// The dim along which memory is contiguous, if any. Targets without blocks of threads vectorize
  /// this dim.
  std::optional<unsigned> vectorDim;
  /// Whether to bind loops to the parallel level, so that several CPU threads share the points.
  bool spread = true;
};

/// Schedules the loops of `box`. On targets with blocks of threads, each thread gets one point.
/// On other targets, the points along the vector dim become vectors.
mlir::FailureOr<Schedule> scheduleBox(const PointBox &box, KernelTarget &target,
                                      mlir::Operation *op);

/// Builds iteration `number` of a box. `build` emits the code at each point, or at each vector of
/// points.
mlir::LogicalResult buildBox(IndexBuilder &index, KernelContext &kernel, const Schedule &schedule,
                             mlir::Value number,
                             llvm::function_ref<void(BodyEvaluator &, const TilePoint &)> build);

} // namespace tssa::conversion

#endif // LIB_CONVERSION_KERNELTOLOOPS_BOXLOWERING_H
