//===- MemberBox.h - the part of a member that an iteration computes -----===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_CONVERSION_KERNELTOLOOPS_MEMBERBOX_H
#define LIB_CONVERSION_KERNELTOLOOPS_MEMBERBOX_H

#include "PieceSchedule.h"
#include "dialects/te/Analysis/Box.h"

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
  bool isMember = false; ///< whether `root` is itself a member, of which a box is computed
};

/// Finds the boxes of what an iteration reads.
class MemberBoxes {
public:
  /// `values` maps the values of the kernel to the function's.
  MemberBoxes(IndexBuilder &index, const MemberReads &reads, const mlir::IRMapping &values);

  /// Returns the box of `member`, by parallel dim. Where no constant bounds the number of indexes
  /// that an iteration reads, it computes all of them. Those that only iterations beyond the last
  /// one would read are left out if the root is a member: what they are computed from is not there.
  llvm::SmallVector<MemberDim> get(mlir::tssa::te::ComputeOp member);
  /// Returns whether those for which `isReader` holds read all that an iteration reads of `member`.
  bool isAllReadBy(mlir::tssa::te::ComputeOp member,
                   llvm::function_ref<bool(mlir::tssa::te::ComputeOp)> isReader);
  /// Returns whether the boxes of consecutive iterations of the entered loops leave out no index
  /// between them.
  bool areClose(mlir::tssa::te::ComputeOp member);
  /// Returns whether each element of `member` is in the box of exactly one iteration of the entered
  /// loops. `box` is that of `member`.
  bool arePartition(mlir::tssa::te::ComputeOp member, llvm::ArrayRef<MemberDim> box);

private:
  IndexBuilder &index;
  const MemberReads &reads;
  const mlir::IRMapping &values;
  llvm::DenseMap<mlir::Value, mlir::AffineExpr> exprs; ///< of scalars and sizes of the kernel
  mlir::tssa::te::BoxFinder finder;
  std::optional<mlir::tssa::te::BoxFinder> whole; ///< of all iterations of a root that is a member
};

/// Returns how `loop` runs, for diagnostics.
llvm::StringRef describeKind(const ScheduledLoop &loop);

} // namespace tssa::conversion

#endif // LIB_CONVERSION_KERNELTOLOOPS_MEMBERBOX_H
