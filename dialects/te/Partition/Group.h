//===- Group.h - expressions that become one launch -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A *group* is what one launch computes: a root, whose domain the launch runs over, and members,
/// each at a *place*. An expression that several groups need is a member of each of them, and is
/// then computed several times.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_PARTITION_GROUP_H
#define DIALECTS_TE_PARTITION_GROUP_H

#include "dialects/te/IR/PointOps.h"
#include "dialects/te/Partition/CostModel.h"

namespace mlir::tssa::te {

/// Where the launch of a group computes a member.
enum class Place {
  Read,     ///< at each point of the root that reads it
  Epilogue, ///< where the root has reduced an element
  Row,      ///< a reduction, before the root runs over the row
  Box       ///< in boxes of rows, before the root runs over the rows of a box
};

struct Member {
  ComputeOp op;
  Place place = Place::Read;
  double points = 0; ///< at which it is computed
};

/// A tensor that a group reads from memory.
struct GroupRead {
  Value tensor;
  llvm::SmallBitVector dims; ///< those of the root that it is read along
  double bytes = 0;

  /// Returns the cycles that reading it takes.
  double getMoving(const CostModel &model) const;
};

/// What computing members in boxes of rows takes and saves.
struct BoxFacts {
  double rows = 0;          ///< of a box
  double bytes = 0;         ///< of what a box keeps of the members
  double savedBytes = 0;    ///< that members no longer write to memory and readers read from there
  double repeatedBytes = 0; ///< of what several rows read, which each box reads again
  double cyclesAsLaunches = 0; ///< of the groups that take the place of this one otherwise
};

struct Group {
  ExpressionOpInterface root;
  /// The expression whose results are stored: the root, or the last member of its epilogue.
  ExpressionOpInterface stored;
  SmallVector<Member> members;
  SmallVector<GroupRead> reads;
  double writtenBytes = 0;
  double computing = 0, moving = 0; ///< cycles of one run of the group
  double trips = 1;                 ///< how often the loops around it run the group
  unsigned numOps = 0;              ///< of the body that computes all of it
  /// The reduction in whose epilogue the group is computed, so that it is not stored. What it is
  /// read for counts as moved by its own group.
  ComputeOp reduction;
  /// The reductions that the launch computes row by row (te-form-kernels), and what that saves.
  SmallVector<ComputeOp> rows;
  double saved = 0;
  std::optional<BoxFacts> boxes; ///< if some members have the place `Box`

  /// Returns the cycles that the group takes in a run of the program. A group that is computed in
  /// an epilogue has no launch, and writes what the reduction would have written.
  double getCycles(const CostModel &model) const;
};

/// Returns the group that computes `root` and, at each read for which `isComputed` holds, the
/// producer of what is read. Sizes that are open are assumed (`assumedSize`).
Group traceGroup(ExpressionOpInterface root, const CostModel &model,
                 function_ref<bool(ComputeOp)> isComputed);

/// Makes launches of `traced`, groups in the order of the program: those that are computed in the
/// epilogue of a reduction, or row by row, become members of the groups that compute them.
SmallVector<Group, 0> joinGroups(SmallVector<Group, 0> traced);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_PARTITION_GROUP_H
