//===- KeepRows.cpp - stores values that several expressions of a row compute -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Softmax sums the exponentials of a row and divides them by the sum. After merging, both
/// expressions compute the exponentials. In a kernel whose expressions run row by row:
/// 1. Find a value that both the root and a reduction over the root's rows compute.
/// 2. If computing this value costs more than storing and reading it, and a row of it is small,
///    move it into an expression of its own, which the root and the reduction read.
/// 3. Repeat until there is no such value.
/// A kernel with a schedule is left alone, unless the schedule names an expression that is missing:
/// it was then written for the expressions that this pass makes.
///
//===----------------------------------------------------------------------===//

#include "dialects/layout/Transforms/Labels.h"
#include "dialects/layout/Transforms/Passes.h"
#include "dialects/layout/Transforms/RowDims.h"
#include "dialects/te/Analysis/OpCost.h"
#include "dialects/te/IR/Builders.h"
#include "dialects/te/IR/PointOps.h"
#include "dialects/te/IR/TEOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::tssa::layout {
#define GEN_PASS_DEF_KEEPROWS
#include "dialects/layout/Transforms/Passes.h.inc"
} // namespace mlir::tssa::layout

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

/// The least cost, in simple instructions, of a value that is worth storing and reading.
static constexpr double leastCost = 8;

namespace {
/// A value of the root, and the equal values that other expressions compute.
struct SharedValue {
  Value value;
  /// The other expressions in program order, each with its equal value.
  SmallVector<std::pair<te::ComputeOp, Value>> others;
};

/// Finds the shared values of one kernel and moves them into expressions of their own.
class RowKeeper {
public:
  RowKeeper(te::KernelOp kernel, int64_t limit)
      : kernel(kernel), members(kernel.getBodyBlock().getOps<te::ComputeOp>()), limit(limit) {}

  /// Returns the number of values that were moved.
  unsigned run() {
    if (members.size() < 2)
      return 0;
    te::ComputeOp last = members.back();
    while (members.size() > 1 && members.back().hasReduction())
      members.pop_back(); // a product of the rows that the others compute
    root = members.pop_back_val();
    rows = countRowDims(root, members);
    if (root != last)
      rows = std::min(rows, countRowDims(last, root));
    if (rows == 0 || root.hasReduction() || root.getPieces().size() != 1)
      return 0;
    auto options = remark::RemarkOpts::name("kept").category("layout-keep-rows");
    if (!isRowSmall()) {
      remark::missed(kernel.getLoc(), options)
          << remark::reason("a row is not known to have at most {0} elements", limit);
      return 0;
    }
    unsigned count = 0;
    while (std::optional<SharedValue> shared = find()) {
      remark::passed(shared->value.getLoc(), options)
          << remark::metric("Kernel", kernel.getSymName())
          << remark::metric("Readers", shared->others.size() + 1);
      take(*shared);
      ++count;
    }
    return count;
  }

private:
  bool isRowSmall() {
    int64_t elements = 1;
    for (int64_t size : root.getStaticSizes().drop_front(rows))
      if (ShapedType::isDynamic(size) || llvm::MulOverflow(elements, size, elements))
        return false;
    return elements <= limit;
  }

  /// Returns whether `member` is a reduction over the same domain as the root.
  bool hasPointsOfRoot(te::ComputeOp member) {
    return member.hasReduction() && member.getPieces().size() == 1 &&
           member.getIterationDomain() == root.getIterationDomain();
  }

  /// Returns the value in `body` that equals `value` of the root, or null.
  Value findIn(Block &body, Value value) {
    for (Operation &op : body.without_terminator())
      if (op.getNumResults() == 1 && te::areEqualAtPoint(op.getResult(0), value))
        return op.getResult(0);
    return {};
  }

  /// Returns the cost of computing `value` in `body`. Adds the needed ops to `seen`.
  double getCostOf(Value value, Block *body, llvm::SmallPtrSetImpl<Operation *> &seen) {
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != body || !seen.insert(op).second)
      return 0;
    double cost = te::getOpCost(*op).vector;
    for (Value operand : op->getOperands())
      cost += getCostOf(operand, body, seen);
    return cost;
  }

  bool isWorthKeeping(Value value) {
    Block *body = root.getPieceBlock();
    llvm::SmallPtrSet<Operation *, 8> seen;
    return getCostOf(value, body, seen) >= leastCost &&
           llvm::any_of(te::collectDims(value, body), [&](unsigned dim) { return dim >= rows; });
  }

  /// Of the values of the root that are worth keeping, returns the one that the greatest number of
  /// other expressions compute. In a tie, returns the last of them, which may be computed from the
  /// others.
  std::optional<SharedValue> find() {
    std::optional<SharedValue> best;
    for (Operation &op : llvm::reverse(root.getPieceBlock()->without_terminator())) {
      if (op.getNumResults() != 1 || isa<te::ReadOp>(op) || !isWorthKeeping(op.getResult(0)))
        continue;
      SharedValue shared{op.getResult(0), {}};
      for (te::ComputeOp member : members)
        if (hasPointsOfRoot(member))
          if (Value other = findIn(*member.getPieceBlock(), shared.value))
            shared.others.push_back({member, other});
      if (shared.others.size() > (best ? best->others.size() : 0))
        best = std::move(shared);
    }
    return best;
  }

  /// Moves the value into a new expression before the first expression that reads it.
  void take(const SharedValue &shared) {
    auto [first, copied] = shared.others.front();
    OpBuilder builder(first);
    Block *body = first.getPieceBlock();
    te::ComputeOp kept =
        te::buildCompute(builder, shared.value.getLoc(), first.getIterationDomain(),
                         shared.value.getType(), [&, value = copied](OpBuilder &inner, Location) {
                           IRMapping mapping;
                           te::PointMap point =
                               te::identityPoint(inner.getContext(), root.getNumDims());
                           llvm::SmallPtrSet<Operation *, 8> needed;
                           getCostOf(value, body, needed);
                           for (Operation &op : *body)
                             if (needed.contains(&op))
                               te::clonePointwise(inner, &op, point, mapping);
                           return SmallVector<Value>{mapping.lookup(value)};
                         });
    kept.setLabel(makeLabel());
    for (auto [member, value] : shared.others)
      readInstead(member, value, kept);
    readInstead(root, shared.value, kept);
    members.insert(llvm::find(members, first), kept);
  }

  std::string makeLabel() {
    for (unsigned number = 0;; ++number) {
      std::string label = ("kept" + Twine(number)).str();
      if (llvm::none_of(kernel.getBodyBlock().getOps<te::ComputeOp>(),
                        [&](te::ComputeOp op) { return op.getLabel() == label; }))
        return label;
    }
  }

  void readInstead(te::ComputeOp op, Value value, te::ComputeOp kept) {
    OpBuilder builder(value.getDefiningOp());
    AffineMap here = AffineMap::getMultiDimIdentityMap(op.getNumDims(), op.getContext());
    Value read = te::ReadOp::create(builder, value.getLoc(), kept.getResult(0), here);
    value.replaceAllUsesWith(read);
    for (Operation &dead : llvm::make_early_inc_range(llvm::reverse(*op.getPieceBlock())))
      if (isOpTriviallyDead(&dead))
        dead.erase();
  }

  te::KernelOp kernel;
  SmallVector<te::ComputeOp> members; ///< without the root
  te::ComputeOp root;                 ///< or, if the root sums, the last expression that does not
  unsigned rows = 0;                  ///< number of leading dims of the root that index a row
  int64_t limit;
};

struct KeepRows : layout::impl::KeepRowsBase<KeepRows> {
  using KeepRowsBase::KeepRowsBase;

  void runOnOperation() final {
    for (auto kernel : getOperation().getOps<te::KernelOp>())
      if (kernel.getSchedule().empty() || findUnknownLabel(kernel))
        numKept += RowKeeper(kernel, elements).run();
  }
};
} // namespace
