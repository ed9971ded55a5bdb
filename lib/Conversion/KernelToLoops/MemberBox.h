//===- MemberBox.h - the part of a member that an iteration computes -----===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_CONVERSION_KERNELTOLOOPS_MEMBERBOX_H
#define LIB_CONVERSION_KERNELTOLOOPS_MEMBERBOX_H

#include "PieceSchedule.h"

namespace tssa::conversion {

/// One dim of the box of a member. All expressions are over the loops that are entered.
struct MemberDim {
  mlir::AffineExpr least; ///< the first index that is read; null if all indexes are computed
  IndexSpan computed;     ///< those of the indexes read that exist
  int64_t most = 0;       ///< indexes that an iteration computes
};

/// What an iteration of the entered loops of a piece computes.
struct MemberReads {
  mlir::tssa::te::ComputeOp root;
  unsigned piece;
  const Schedule &schedule;                     ///< of the piece
  const llvm::DenseSet<mlir::Operation *> read; ///< the members that the piece reads
};

/// Returns how `loop` runs, for diagnostics.
llvm::StringRef describeKind(const ScheduledLoop &loop);

/// Returns the box of `member`, by parallel dim. Where no constant bounds the number of indexes
/// that an iteration reads, it computes all of them. `values` maps the kernel's values to the
/// function's.
llvm::SmallVector<MemberDim> getMemberBox(IndexBuilder &index, const MemberReads &reads,
                                          mlir::tssa::te::ComputeOp member,
                                          const mlir::IRMapping &values);

} // namespace tssa::conversion

#endif // LIB_CONVERSION_KERNELTOLOOPS_MEMBERBOX_H
