//===- MergeEqualOps.cpp - common subexpression elimination -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/IR/MergeEqualOps.h"
#include "dialects/te/IR/StructuralHash.h"
#include "dialects/te/IR/TEOps.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/ScopedHashTable.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

/// Returns whether `op` is an expression. The bodies of expressions are not changed here.
static bool isExpression(Operation &op) { return isa<ExpressionOpInterface>(op); }

namespace {
/// Compares ops by structure, ignoring locations.
struct EquivalentOpInfo : llvm::DenseMapInfo<Operation *> {
  static unsigned getHashValue(const Operation *op) {
    return static_cast<unsigned>(hashOperation(const_cast<Operation *>(op)));
  }
  static bool isEqual(const Operation *left, const Operation *right) {
    auto *lhs = const_cast<Operation *>(left), *rhs = const_cast<Operation *>(right);
    if (lhs == rhs)
      return true;
    if (lhs == getEmptyKey() || lhs == getTombstoneKey() || rhs == getEmptyKey() ||
        rhs == getTombstoneKey())
      return false;
    return OperationEquivalence::isEquivalentTo(lhs, rhs, OperationEquivalence::IgnoreLocations);
  }
};

/// Merges equal ops within one scope: all ops in the regions of one isolated op, at any depth.
class Merger {
public:
  explicit Merger(RewriterBase &rewriter) : rewriter(rewriter) {}

  void merge(Block &block) {
    Table::ScopeTy scope(known);
    for (Operation &op : llvm::make_early_inc_range(block)) {
      // Regions come first, because an op must not change once it is in the table.
      mergeBelow(op);
      if (op.hasTrait<OpTrait::IsTerminator>() || !isMemoryEffectFree(&op))
        continue;
      if (Operation *equal = known.lookup(&op))
        rewriter.replaceOp(&op, equal->getResults());
      else
        known.insert(&op, &op);
    }
  }

private:
  using Table = llvm::ScopedHashTable<Operation *, Operation *, EquivalentOpInfo>;

  void mergeBelow(Operation &op) {
    if (isExpression(op))
      return;
    if (op.hasTrait<OpTrait::IsIsolatedFromAbove>()) {
      mergeEqualOps(rewriter, &op);
      return;
    }
    for (Region &region : op.getRegions())
      for (Block &block : region)
        merge(block);
  }

  RewriterBase &rewriter;
  Table known;
};
} // namespace

/// Erases ops that have neither effects nor uses. Goes in reverse order, so that one pass is
/// enough.
static void eraseDeadOps(RewriterBase &rewriter, Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    if (isOpTriviallyDead(&op)) {
      rewriter.eraseOp(&op);
      continue;
    }
    if (isExpression(op) || op.hasTrait<OpTrait::IsIsolatedFromAbove>())
      continue;
    for (Region &region : op.getRegions())
      for (Block &inner : llvm::reverse(region))
        eraseDeadOps(rewriter, inner);
  }
}

void te::mergeEqualOps(RewriterBase &rewriter, Block &block) {
  Merger(rewriter).merge(block);
  eraseDeadOps(rewriter, block);
}

void te::mergeEqualOps(RewriterBase &rewriter, Operation *root) {
  for (Region &region : root->getRegions())
    for (Block &block : region)
      mergeEqualOps(rewriter, block);
}
