//===- Box.h - the part of an expression that an iteration reads -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds the box of a member of a kernel: along each of its dims, the consecutive indexes that one
/// iteration of a loop of another expression, the root, reads. The union is taken over all reads,
/// those of the root and those of the other members that are computed for it:
///
///   | read of the root            | loops                        | box              |
///   |-----------------------------|------------------------------|------------------|
///   | d0 = 4 * io + ii            | in io                        | 4 io .. 4 io + 3 |
///   | d0 - 1, d0, d0 + 1          | in d0                        | d0 - 1 .. d0 + 1 |
///   | 2 * d0 + k                  | in d0, 3 iterations of k     | 2 d0 .. 2 d0 + 2 |
///   | d0                          | in another loop              | all              |
///   | k where (d0 - 8 * k >= 0)   | in d0, all iterations of k   | 0 .. d0 / 8      |
///
/// A guard bounds the dims that a read uses as indexes: where it does not hold, nothing is read.
///
/// `Image` counts the elements that an access touches; a box says where they lie.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_ANALYSIS_BOX_H
#define DIALECTS_TE_ANALYSIS_BOX_H

#include "dialects/te/Analysis/IndexSimplifier.h"
#include "dialects/te/IR/TEOps.h"

namespace mlir::tssa::te {

/// The indexes from `least` to `greatest`. It may reach beyond the bounds of a tensor, because a
/// read may have a guard, and a loop a last, shorter part. Null: no bound is known, or all indexes
/// of a dim.
struct IndexInterval {
  AffineExpr least, greatest;
  /// Further bounds, of guards: the interval is from the greater of the first two to the less of
  /// the last two. Null if there are none.
  AffineExpr atLeast, atMost;

  bool operator==(const IndexInterval &other) const {
    return least == other.least && greatest == other.greatest && atLeast == other.atLeast &&
           atMost == other.atMost;
  }
  explicit operator bool() const { return static_cast<bool>(least); }
};

/// Returns an interval that holds all values of `expr` for dims in the intervals `dims`, whose ends
/// are over what does not move. It is exact if `expr` is a sum of multiples of distinct dims.
IndexInterval getValues(AffineExpr expr, ArrayRef<IndexInterval> dims, IndexSimplifier &simplifier);

/// Returns the least interval that holds both, or null if their ends do not compare by proof. A
/// further bound remains if both have it.
IndexInterval unite(IndexInterval lhs, IndexInterval rhs, IndexSimplifier &simplifier);

/// An expression whose iteration reads members.
struct BoxRoot {
  ComputeOp op;
  SmallVector<Region *, 2> regions; ///< of `op`, whose reads count
  /// For each loop its iterations that belong to the box: one if the loop is entered, otherwise
  /// all.
  SmallVector<IndexInterval> loops;
  /// Converts an expression over the dims of `op` to one over loops.
  std::function<AffineExpr(AffineExpr)> toLoops;
};

/// Finds the boxes of the members that an iteration of a root reads, directly or through others.
class BoxFinder {
public:
  /// `members`: the expressions whose reads count besides those of the root. `values`: scalars and
  /// sizes of the kernel as expressions; what has none is not known.
  BoxFinder(BoxRoot root, const DenseSet<Operation *> &members,
            const DenseMap<Value, AffineExpr> &values, IndexSimplifier &simplifier)
      : root(std::move(root)), members(members), values(values), simplifier(simplifier) {}

  /// Returns the box of `member`, by parallel dim. Null: all indexes of the dim.
  SmallVector<IndexInterval> getBox(ComputeOp member);
  /// Returns what those for which `isReader` holds read of it.
  SmallVector<IndexInterval> getBoxReadBy(ComputeOp member, function_ref<bool(ComputeOp)> isReader);

private:
  AffineExpr getSize(OpFoldResult size) const;
  bool counts(ReadOp read) const;
  /// The indexes at which an op of the iteration reads.
  SmallVector<IndexInterval> getIndexes(ReadOp read);
  /// The intervals of the dims of a member.
  SmallVector<IndexInterval> getDims(ComputeOp reader);
  bool isWhole(IndexInterval interval, OpFoldResult size);
  /// Returns `expr`, an expression of `read`, over loops if the root reads, or nothing if it has a
  /// symbol that is not known.
  std::optional<AffineExpr> getKnown(ReadOp read, AffineExpr expr);
  /// Bounds the values of `dim`, a dim of the reader, by the guard of `read`. `dims` are the
  /// intervals of the reader's dims, or of the root's loops.
  void applyGuard(ReadOp read, AffineExpr dim, ArrayRef<IndexInterval> dims,
                  IndexInterval &interval);

  BoxRoot root;
  const DenseSet<Operation *> &members;
  const DenseMap<Value, AffineExpr> &values;
  IndexSimplifier &simplifier;
  DenseMap<Operation *, SmallVector<IndexInterval>> boxes;
};

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_ANALYSIS_BOX_H
