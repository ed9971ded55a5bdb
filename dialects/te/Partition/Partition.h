//===- Partition.h - which expressions become one launch -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Partitions the expressions of a function into groups: for each expression without a reduction,
/// whether it is computed where it is read, or once, and stored. te-merge does what is decided here
/// as far as it can.
///
/// The search begins with all of them computed where they are read. It visits them from the last to
/// the first, and changes a choice if that lowers the cost of the groups that the expression is in,
/// until no change does. A change of one choice does not depend on the order of other groups, so
/// few passes are enough; their number is limited.
///
/// Of the groups that it ends with, some can be computed in boxes of rows of the last one. These
/// are formed, by te-form-kernels, if that takes less time.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_PARTITION_PARTITION_H
#define DIALECTS_TE_PARTITION_PARTITION_H

#include "dialects/te/Partition/BoxGroup.h"
#include "dialects/te/Partition/Group.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tssa/Support/Transforms.h"
#include "llvm/Support/StringSaver.h"

namespace mlir::tssa::te {

/// A merged body has at most this many arithmetic ops, by default.
inline constexpr unsigned maxBodyOps = 96;

/// A product and what it sums over, which one launch can compute in boxes of rows.
struct BoxCandidate {
  BoxGroup boxes;
  Group group;        ///< as this launch
  StringRef obstacle; ///< why it is not formed; empty if it is
};

class Partition {
public:
  /// Decides for the expressions of `function`: by their cost; `Always` is Souffle's rule (section
  /// 6.2), that what relies on one element is computed where it is read; `Never` stores all. A
  /// group has at most `maxOps` arithmetic ops in its body. `boxes` says when products run in boxes
  /// with what they sum over: by the cost, wherever possible, or never.
  Partition(func::FuncOp function, ::tssa::Apply apply, unsigned maxOps,
            ::tssa::Apply boxes = ::tssa::Apply::Never);

  /// Returns whether `op` is computed where it is read. Decides it now for an expression that was
  /// not there when the partition was made.
  bool isComputedWhereRead(ComputeOp op);
  /// Returns why `op` is not computed where it is read.
  StringRef getReason(ComputeOp op);

  /// Returns the groups in the order of the program. The members of a group that is computed in the
  /// epilogue of a reduction are members of the group of the reduction.
  SmallVector<Group, 0> getGroups();
  /// Returns, in the order of the program, the groups that can be computed in boxes, with the
  /// decisions. What one of them computes is in no other one that is formed.
  SmallVector<BoxCandidate, 0> findBoxes();
  const CostModel &getModel() const { return model; }

  /// Stores `op`, whatever it costs.
  void store(ComputeOp op, StringRef reason) { choices[op.getOperation()] = {false, true, reason}; }
  /// `to` replaces `from`, with the same choice unless only a rearrangement is left.
  void replace(Operation *from, Operation *to);
  /// Forgets an expression that is erased.
  void erase(Operation *op) { choices.erase(op); }

private:
  struct Choice {
    bool isComputed = false;
    bool isFixed = false; ///< no search may change it
    StringRef reason;     ///< why it is stored
  };

  const Choice &getChoice(ComputeOp op);
  Choice choose(ComputeOp op) const;
  void limitBodies(ArrayRef<ComputeOp> ops);
  bool improve(ComputeOp op);
  bool isRoot(Operation *op);
  bool collectRoots(ComputeOp op, llvm::SetVector<Operation *> &roots);
  double getCycles(Operation *root) const;
  double price(ComputeOp op, bool isComputed, ArrayRef<Operation *> roots);

  ::tssa::Apply apply, boxes;
  CostModel model;
  unsigned maxOps;
  func::FuncOp function;
  llvm::DenseMap<Operation *, Choice> choices;
  llvm::DenseMap<Operation *, double> cycles; ///< of groups with the present choices, if known
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver reasons{allocator};
};

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_PARTITION_PARTITION_H
