//===- MergeHorizontally.cpp - merge expressions beside each other -------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Expressions are visited in program order. Those that share an operand with a later one that does
/// the same on other constants, or at another place of the operand, become one expression with it
/// (SiblingMatch.h). As the readers of merged expressions then share an operand, they may be merged
/// in turn: the towers of a mixture of experts, layer by layer. Members need no other tensors than
/// the first one, apart from constants, and so cannot depend on each other.
///
//===----------------------------------------------------------------------===//

#include "dialects/te/Analysis/BodyFacts.h"
#include "dialects/te/Analysis/Join.h"
#include "dialects/te/Transforms/InlineProducer.h"
#include "dialects/te/Transforms/MergeSiblings.h"
#include "dialects/te/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::tssa::te {
#define GEN_PASS_DEF_TEMERGEHORIZONTALLY
#include "dialects/te/Transforms/Passes.h.inc"
} // namespace mlir::tssa::te

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

/// Larger expressions keep a core busy for longer than their launch takes, and gain little.
static constexpr double mostOperations = 1 << 20;

/// At most this many expressions that share an operand are compared with one.
static constexpr size_t mostCandidates = 64;

/// Returns whether only te.reads use the results of `compute`, so that these can lie elsewhere.
static bool isOnlyRead(ComputeOp compute) {
  return llvm::all_of(compute->getUsers(), [](Operation *user) {
    return isa<ReadOp>(user) && isa<ComputeOp>(user->getParentOp());
  });
}

/// Returns the expressions that read a result of `siblings`.
static llvm::SetVector<ComputeOp> collectReaders(const Siblings &siblings) {
  llvm::SetVector<ComputeOp> readers;
  for (ComputeOp member : siblings.members)
    for (Operation *user : member->getUsers())
      readers.insert(user->getParentOfType<ComputeOp>());
  return readers;
}

/// Returns whether merging would keep the parts of a concatenation, one of which is a member, from
/// being computed in it. It does not if the merged result has the order of the concatenation.
static bool breaksJoin(const Siblings &siblings) {
  return llvm::any_of(collectReaders(siblings), [&](ComputeOp reader) {
    std::optional<Join> join = matchJoin(reader);
    if (!join || !mayJoinInPlace(reader))
      return false;
    ComputeOp first = siblings.members.front();
    bool isOrdered = siblings.mode.isStacked() ? first.getStaticSizes()[join->axis] == 1
                                               : *siblings.mode.axis == join->axis;
    return !isOrdered ||
           !llvm::equal(join->parts, siblings.members,
                        [](Value part, ComputeOp member) { return part == member.getResult(0); });
  });
}

namespace {
class HorizontalMerger {
public:
  HorizontalMerger(MLIRContext *context, ::tssa::Apply apply) : rewriter(context), apply(apply) {}

  void run(func::FuncOp function) {
    SmallVector<Operation *> pending;
    function.walk([&](ComputeOp compute) { pending.push_back(compute); });
    for (Operation *op : pending)
      if (!erased.contains(op))
        visit(cast<ComputeOp>(op));
  }

  unsigned numMerged = 0;

private:
  bool mayMerge(ComputeOp compute) {
    return compute.getNumResults() == 1 && compute.getPieces().size() == 1 && isOnlyRead(compute) &&
           (apply == ::tssa::Apply::Always || estimateOperations(compute) <= mostOperations);
  }

  /// Returns the later expressions of the block that read a tensor that `first` reads, in program
  /// order.
  SmallVector<ComputeOp> findCandidates(ComputeOp first) {
    llvm::SetVector<Operation *> found;
    first->walk([&](ReadOp read) {
      if (read.getSource().getDefiningOp<ConstantOp>())
        return;
      for (Operation *user : read.getSource().getUsers()) {
        auto other = dyn_cast<ComputeOp>(user->getParentOp());
        if (other && other != first && other->getBlock() == first->getBlock() &&
            first->isBeforeInBlock(other) && mayMerge(other))
          found.insert(other);
      }
    });
    SmallVector<ComputeOp> ordered;
    for (Operation *op : found)
      ordered.push_back(cast<ComputeOp>(op));
    llvm::sort(ordered, [](ComputeOp a, ComputeOp b) { return a->isBeforeInBlock(b); });
    ordered.truncate(std::min(ordered.size(), mostCandidates));
    return ordered;
  }

  void visit(ComputeOp first) {
    if (!mayMerge(first))
      return;
    SmallVector<ComputeOp> candidates = findCandidates(first);
    if (candidates.empty())
      return;
    SmallVector<SiblingMode> modes{SiblingMode{}};
    for (unsigned axis = 0; axis < first.getNumParallel(); ++axis)
      modes.push_back(SiblingMode{axis});
    for (SiblingMode mode : modes) {
      Siblings siblings(first, mode);
      for (ComputeOp candidate : candidates)
        siblings.tryToAdd(candidate);
      if (siblings.members.size() > 1 && !breaksJoin(siblings))
        return merge(siblings);
    }
  }

  void merge(const Siblings &siblings) {
    llvm::SetVector<ComputeOp> readers = collectReaders(siblings);
    double operations = estimateOperations(siblings.members.front());
    Location loc = ComputeOp(siblings.members.front()).getLoc();
    SmallVector<Operation *> members(siblings.members.begin(), siblings.members.end());
    if (!mergeSiblings(rewriter, siblings))
      return;
    erased.insert_range(members);
    numMerged += members.size() - 1;
    remark::passed(loc, remark::RemarkOpts::name("siblings").category("te-merge-horizontally"))
        << remark::add(siblings.mode.isStacked() ? "stacked" : "joined along a dim")
        << remark::metric("Members", members.size())
        << remark::metric("LaunchesSaved", members.size() - 1)
        << remark::metric("Operations", static_cast<int64_t>(operations));
    for (ComputeOp reader : readers)
      uniteReader(reader);
  }

  /// Replaces a concatenation of all members by a rearrangement, which is computed where it is
  /// read.
  void uniteReader(ComputeOp reader) {
    Operation *old = reader;
    ComputeOp united = unitePieces(rewriter, reader);
    if (!united)
      return;
    erased.insert(old);
    for (Operation *user : llvm::make_early_inc_range(united->getUsers()))
      if (auto read = dyn_cast<ReadOp>(user))
        inlineProducer(rewriter, read, united, 0);
    if (united->use_empty())
      rewriter.eraseOp(united);
  }

  IRRewriter rewriter;
  ::tssa::Apply apply;
  llvm::SmallPtrSet<Operation *, 16> erased;
};

struct MergeHorizontally : te::impl::TEMergeHorizontallyBase<MergeHorizontally> {
  using TEMergeHorizontallyBase::TEMergeHorizontallyBase;

  void runOnOperation() override {
    if (apply == ::tssa::Apply::Never)
      return;
    HorizontalMerger merger(&getContext(), apply);
    merger.run(getOperation());
    numMerged += merger.numMerged;
  }
};
} // namespace
