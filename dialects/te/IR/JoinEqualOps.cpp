//===- JoinEqualOps.cpp - what is computed twice is computed once -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/IR/JoinEqualOps.h"
#include "dialects/te/IR/StructuralHash.h"
#include "dialects/te/IR/TEOps.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/ScopedHashTable.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

/// Whether the op's bodies stay as they are.
static bool isExpression(Operation &op) { return isa<ExpressionOpInterface>(op); }

namespace {
/// Ops are equal when all but their locations agree.
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

/// Joins the ops that see one another: those of an isolated op and of the regions in it.
class Joiner {
public:
  explicit Joiner(RewriterBase &rewriter) : rewriter(rewriter) {}

  void join(Block &block) {
    Table::ScopeTy scope(known);
    for (Operation &op : llvm::make_early_inc_range(block)) {
      // First, so that an op in the table changes no more.
      joinBelow(op);
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

  void joinBelow(Operation &op) {
    if (isExpression(op))
      return;
    if (op.hasTrait<OpTrait::IsIsolatedFromAbove>()) {
      joinEqualOps(rewriter, &op);
      return;
    }
    for (Region &region : op.getRegions())
      for (Block &block : region)
        join(block);
  }

  RewriterBase &rewriter;
  Table known;
};
} // namespace

/// From the last op to the first, inner ones before those around them.
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

void te::joinEqualOps(RewriterBase &rewriter, Block &block) {
  Joiner(rewriter).join(block);
  eraseDeadOps(rewriter, block);
}

void te::joinEqualOps(RewriterBase &rewriter, Operation *root) {
  for (Region &region : root->getRegions())
    for (Block &block : region)
      joinEqualOps(rewriter, block);
}
