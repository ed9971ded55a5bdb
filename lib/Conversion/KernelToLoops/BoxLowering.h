//===- BoxLowering.h - loops over a box without a schedule of its own -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_CONVERSION_KERNELTOLOOPS_BOXLOWERING_H
#define LIB_CONVERSION_KERNELTOLOOPS_BOXLOWERING_H

#include "BodyEvaluator.h"
#include "tssa/Conversion/Schedule.h"

namespace tssa::conversion {

/// Points whose order does not matter: the elements of te.update and te.scan.
struct PointBox {
  llvm::SmallVector<mlir::AffineExpr> extents;
  /// The dim along which memory is contiguous, for targets with wide vectors.
  std::optional<unsigned> vectorDim;
  /// Whether iterations are numbered also where that serves only to share the work.
  bool spread = true;
};

/// The loops of `box`. Where blocks have threads, each takes one point; else the
/// elements along the vector dim are vectors.
mlir::FailureOr<Schedule> scheduleBox(const PointBox &box, KernelTarget &target,
                                      mlir::Operation *op);

/// Builds iteration `number` of a box, with the code of `build` at each point, or at
/// each vector of points.
mlir::LogicalResult buildBox(IndexBuilder &index, KernelContext &kernel, const Schedule &schedule,
                             mlir::Value number,
                             llvm::function_ref<void(BodyEvaluator &, const TilePoint &)> build);

} // namespace tssa::conversion

#endif // LIB_CONVERSION_KERNELTOLOOPS_BOXLOWERING_H
