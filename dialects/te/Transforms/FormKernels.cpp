//===- FormKernels.cpp - expressions of the host program become kernels -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// 1. Expressions are grouped into kernels. A group is one expression, or several that run row by
///    row together (RowGroups.h), or in boxes of rows (Partition.h), in program order.
/// 2. The values that a group captures become the parameters of its kernel, in the order that
///    `te.kernel` requires.
/// 3. The expressions move into a new te.kernel, and a te.launch replaces them.
///
//===----------------------------------------------------------------------===//

#include "dialects/te/IR/Builders.h"
#include "dialects/te/IR/Contraction.h"
#include "dialects/te/IR/OutlineKernel.h"
#include "dialects/te/IR/TEOps.h"
#include "dialects/te/Partition/Partition.h"
#include "dialects/te/Transforms/Passes.h"
#include "dialects/te/Transforms/PermuteRows.h"
#include "dialects/te/Transforms/RowGroups.h"
#include "dialects/te/Transforms/SelectPieces.h"
#include "dialects/te/Transforms/SoftmaxSum.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::tssa::te {
#define GEN_PASS_DEF_TEFORMKERNELS
#include "dialects/te/Transforms/Passes.h.inc"
} // namespace mlir::tssa::te

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

/// Returns the kind of an expression as a word for readable names.
static StringRef getHint(Operation *op) {
  auto compute = dyn_cast<ComputeOp>(op);
  if (!compute)
    return op->getName().stripDialect();
  if (compute.getPieces().size() > 1)
    return "pieces";
  Block &body = *compute.getPieceBlock();
  if (!compute.hasReduction())
    return llvm::hasNItems(body, 2) && isa<ReadOp>(body.front()) ? "copy" : "map";
  if (!findSummedProducts(compute).empty() && llvm::range_size(body.getOps<ReadOp>()) > 1)
    return "contract";
  std::optional<Combiner> combiner = matchCombiner(compute.getCombiner());
  if (!combiner)
    return "reduce";
  switch (*combiner) {
  case Combiner::Add:
    return "sum";
  case Combiner::Mul:
    return "prod";
  case Combiner::Max:
    return "max";
  case Combiner::Min:
    return "min";
  default:
    return "reduce";
  }
}

/// Sets labels that are unique in a kernel and the same in equal kernels.
static void setLabels(ArrayRef<Operation *> group) {
  llvm::StringMap<unsigned> used;
  for (Operation *op : group) {
    StringRef hint = getHint(op);
    unsigned number = used[hint]++;
    auto label = StringAttr::get(op->getContext(), number ? hint + Twine(number) : Twine(hint));
    cast<ExpressionOpInterface>(op).setLabelAttr(label);
  }
}

namespace {
/// Groups expressions into kernels.
class GroupFinder {
public:
  explicit GroupFinder(ModuleOp module) : rewriter(module.getContext()) {
    module.walk([&](func::FuncOp function) {
      function.walk([&](Operation *op) {
        if (isa<ExpressionOpInterface>(op) && !op->use_empty())
          ops.push_back(op);
      });
    });
  }

  /// Forms what the partition computes in boxes. Merging is over: what is not in boxes is stored.
  void groupBoxes(ModuleOp module, ::tssa::Apply boxes) {
    module.walk([&](func::FuncOp function) {
      Partition partition(function, ::tssa::Apply::Never, maxBodyOps, boxes);
      for (BoxCandidate &candidate : partition.findBoxes()) {
        report(candidate, partition.getModel());
        auto *place = llvm::find(ops, candidate.boxes.ops.back());
        SmallVector<Operation *> group = std::move(candidate.boxes.ops);
        if (!candidate.obstacle.empty() || !take(group))
          continue;
        permuteRows(rewriter, group, candidate.boxes.order);
        SmallVector<Operation *> others;
        rewriteSoftmaxSum(rewriter, group, candidate.boxes.getNumRows(),
                          static_cast<int64_t>(partition.getModel().boxKeys), others);
        finish(*place, std::move(group));
        before[*place] = std::move(others);
      }
    });
  }

  /// Finds reductions of rows that run with what reads them.
  void groupRows() {
    for (Operation *&op : ops) {
      auto root = dyn_cast_or_null<ComputeOp>(op);
      SmallVector<Operation *> group = root ? findRowGroup(root) : SmallVector<Operation *>();
      if (!take(group))
        continue;
      if (root.getPieces().size() > 1)
        group.back() = selectPieces(rewriter, root);
      finish(op, std::move(group));
    }
  }

  /// Returns the groups of expressions that become kernels, in program order.
  SmallVector<SmallVector<Operation *>> getGroups() {
    SmallVector<SmallVector<Operation *>> result;
    for (Operation *op : ops) {
      for (Operation *other : before.lookup(op))
        result.push_back({other});
      if (op)
        result.push_back(groups.contains(op) ? groups.lookup(op) : SmallVector<Operation *>{op});
    }
    return result;
  }

private:
  /// Explains the decision about `candidate`.
  static void report(const BoxCandidate &candidate, const CostModel &model) {
    auto options = remark::RemarkOpts::name("boxes").category("te-form-kernels");
    auto addCost = [&](auto &&remark) {
      const BoxFacts &facts = *candidate.group.boxes;
      remark << remark::metric("Cycles", static_cast<int64_t>(candidate.group.getCycles(model)))
             << remark::metric("CyclesAsLaunches", static_cast<int64_t>(facts.cyclesAsLaunches))
             << remark::metric("BoxBytes", static_cast<int64_t>(facts.bytes));
    };
    Location loc = candidate.boxes.ops.back()->getLoc();
    if (candidate.obstacle.empty())
      addCost(remark::passed(loc, options)
              << remark::add("computed in boxes of rows with what it sums over"));
    else
      addCost(remark::missed(loc, options) << remark::reason("{0}", candidate.obstacle));
  }

  /// Takes the expressions of a group, before any of them is replaced. Returns whether there are
  /// several, which no other group has.
  bool take(ArrayRef<Operation *> group) {
    auto isTaken = [&](Operation *member) {
      return groups.contains(member) || !llvm::is_contained(ops, member);
    };
    if (group.size() < 2 || llvm::any_of(group, isTaken))
      return false;
    for (Operation *member : group)
      *llvm::find(ops, member) = nullptr;
    return true;
  }

  /// Puts a group, whose expressions may be new ones, in the place of its root.
  void finish(Operation *&place, SmallVector<Operation *> group) {
    place = group.back();
    groups[place] = std::move(group);
  }

  IRRewriter rewriter;
  SmallVector<Operation *> ops; ///< in program order; null: in the group of a later one
  llvm::DenseMap<Operation *, SmallVector<Operation *>> groups; ///< of several, by root
  llvm::DenseMap<Operation *, SmallVector<Operation *>> before; ///< further ones, by root
};
} // namespace

static SmallVector<SmallVector<Operation *>> formGroups(ModuleOp module, bool groupRows,
                                                        ::tssa::Apply boxes) {
  GroupFinder finder(module);
  if (groupRows || boxes == ::tssa::Apply::Always)
    finder.groupBoxes(module, boxes);
  if (groupRows)
    finder.groupRows();
  return finder.getGroups();
}

namespace {
struct FormKernels : te::impl::TEFormKernelsBase<FormKernels> {
  using TEFormKernelsBase::TEFormKernelsBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    // A statistic does not count in a build without assertions.
    unsigned number = 0;
    for (ArrayRef<Operation *> group : formGroups(getOperation(), groupRows, boxes)) {
      nameRowDims(group);
      if (group.size() > 1)
        remark::passed(group.back()->getLoc(),
                       remark::RemarkOpts::name("grouped").category(getArgument()))
            << remark::add("reductions of rows are in the kernel that reads them")
            << remark::metric("Expressions", group.size())
            << remark::metric("LaunchesSaved", group.size() - 1);
      setLabels(group);
      outlineKernel(symbols, group, ("k" + Twine(number++) + "_" + getHint(group.back())).str());
      ++numKernels;
      numGrouped += group.size() - 1;
    }
  }
};
} // namespace
