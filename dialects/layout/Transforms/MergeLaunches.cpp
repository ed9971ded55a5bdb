//===- MergeLaunches.cpp - launches beside each other become one -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The launches of a block are visited in the order of the program. Each joins the first group that
/// it fits into:
/// 1. Its operands are known where the first launch of the group is, apart from results of the
///    group. Constants and sizes can be moved there. No check is between them.
/// 2. On a CPU, all members together are too small for a second thread; or it depends on no member,
///    reads a tensor that a member reads too, and its iterations take about as long as those of the
///    others, since threads take iterations of equal numbers.
/// 3. On a GPU, it depends on no member, and its blocks need what those of the others need: all
///    blocks of a launch get the same threads, registers and shared memory.
/// Each group becomes one launch.
///
//===----------------------------------------------------------------------===//

#include "dialects/layout/Analysis/CodeRules.h"
#include "dialects/layout/Analysis/Schedule.h"
#include "dialects/layout/Transforms/MergedKernel.h"
#include "dialects/layout/Transforms/Passes.h"
#include "dialects/te/Analysis/OpCost.h"
#include "dialects/te/IR/Sizes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::tssa::layout {
#define GEN_PASS_DEF_MERGELAUNCHES
#include "dialects/layout/Transforms/Passes.h.inc"
} // namespace mlir::tssa::layout

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

/// Launches of less work than this, in all, are not worth a second thread: each of two would have
/// little.
static constexpr int64_t smallWork = 2 * leastWorkOfThread;
/// The ratio of the works of two iterations up to which threads share them evenly.
static constexpr int64_t greatestRatio = 8;
/// A result of a launch that comes earlier is live for longer, so that launches do not move far.
static constexpr unsigned greatestDistance = 32;
static constexpr unsigned greatestGroup = 16;

/// Returns the number of iterations that threads share, or nothing if it depends on open sizes.
static std::optional<int64_t> countIterations(te::KernelOp kernel) {
  int64_t product = 1;
  for (auto compute : kernel.getBodyBlock().getOps<te::ComputeOp>()) {
    std::optional<Schedule> schedule = findSchedule(compute);
    if (!schedule)
      continue;
    for (unsigned loop : llvm::concat<unsigned>(schedule->parallel, schedule->threads)) {
      auto extent = dyn_cast<AffineConstantExpr>(schedule->loops[loop].extent);
      if (!extent || llvm::MulOverflow(product, extent.getValue(), product))
        return std::nullopt;
    }
  }
  return product;
}

/// Adds the product of `sizes` and `each` to `total`, unless it depends on open sizes.
static bool addProduct(int64_t &total, ArrayRef<OpFoldResult> sizes, int64_t each) {
  for (OpFoldResult size : sizes) {
    std::optional<int64_t> constant = te::getConstantSize(size);
    if (!constant || llvm::MulOverflow(each, *constant, each))
      return false;
  }
  return !llvm::AddOverflow(total, each, total);
}

/// Adds the work of an expression to `total`, unless it depends on open sizes. Of several pieces,
/// one runs at a point.
static bool addWork(int64_t &total, te::ComputeOp compute) {
  SmallVector<OpFoldResult> domain = compute.getIterationDomain();
  int64_t most = 0;
  for (te::ExpressionBody body : compute.getBodies()) {
    int64_t work = te::getWork(*body.region);
    if (body.where)
      most = std::max(most, work);
    else if (!addProduct(total, ArrayRef(domain).take_front(body.numDims), work))
      return false;
  }
  return addProduct(total, domain, most);
}

/// Returns the work of a launch (te::getWork), or nothing if it depends on open sizes.
static std::optional<int64_t> countWork(te::KernelOp kernel) {
  int64_t total = 0;
  for (auto compute : kernel.getBodyBlock().getOps<te::ComputeOp>())
    if (!addWork(total, compute))
      return std::nullopt;
  return total;
}

namespace {
/// What a block of a GPU needs for an iteration.
struct BlockNeeds {
  int64_t threads = 0;
  bool caches = false; ///< whether factors are kept in shared memory
  bool hasAtom = false;

  static BlockNeeds get(te::KernelOp kernel) {
    BlockNeeds needs;
    for (auto compute : kernel.getBodyBlock().getOps<te::ComputeOp>())
      if (std::optional<Schedule> schedule = findSchedule(compute)) {
        needs.threads = std::max(needs.threads, schedule->getNumThreads());
        needs.caches |= !schedule->caches.empty();
        needs.hasAtom |= schedule->atom.has_value();
      }
    return needs;
  }

  bool operator==(const BlockNeeds &other) const {
    return threads == other.threads && caches == other.caches && hasAtom == other.hasAtom;
  }
};

/// A launch that may join others.
struct Candidate {
  te::LaunchOp launch;
  te::KernelOp kernel;
  std::optional<int64_t> work, iterations;
  BlockNeeds needs;  ///< for GPUs only
  unsigned position; ///< among the launches of the block
  /// The checks before it. What holds after a check need not hold in front of it.
  unsigned checks;
};

using Group = SmallVector<Candidate, 2>;

/// Whether the operands of launches are known before the first launch of a group.
struct Operands {
  const Group &group;
  /// Ops such as constants that must be moved there, in an order in which they can be moved.
  llvm::SetVector<Operation *> moved = {};
  bool areOfGroup = false; ///< whether some are results of the group

  bool areKnown(te::LaunchOp launch) {
    return llvm::all_of(launch->getOperands(), [&](Value operand) {
      bool isOfGroup = llvm::any_of(
          group, [&](Candidate member) { return operand.getDefiningOp() == member.launch; });
      areOfGroup |= isOfGroup;
      return isOfGroup || isKnown(operand);
    });
  }

private:
  bool isKnown(Value value) {
    Operation *definition = value.getDefiningOp(), *first = te::LaunchOp(group.front().launch);
    if (!definition || definition->getBlock() != first->getBlock() ||
        definition->isBeforeInBlock(first) || moved.contains(definition))
      return true;
    if (isa<te::LaunchOp>(definition) || definition->getNumRegions() != 0 || !isPure(definition) ||
        !llvm::all_of(definition->getOperands(), [&](Value operand) { return isKnown(operand); }))
      return false;
    moved.insert(definition);
    return true;
  }
};

struct MergeLaunches : layout::impl::MergeLaunchesBase<MergeLaunches> {
  using MergeLaunchesBase::MergeLaunchesBase;

  void runOnOperation() final {
    if (apply == ::tssa::Apply::Never)
      return;
    LaunchMerger merger(getOperation());
    isDevice = hasDeviceModel(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>())
      function.walk([&](Block *block) {
        for (const Group &group : formGroups(*block, merger))
          merge(group, merger);
      });
    merger.eraseUnused();
  }

private:
  SmallVector<Group> formGroups(Block &block, LaunchMerger &merger) {
    SmallVector<Group> groups;
    unsigned position = 0, checks = 0;
    for (Operation &op : block) {
      auto launch = dyn_cast<te::LaunchOp>(op);
      if (!launch)
        checks += !isMemoryEffectFree(&op);
      te::KernelOp kernel = launch ? merger.lookup(launch) : te::KernelOp();
      if (!kernel || !isMergeable(kernel))
        continue;
      Candidate candidate{launch,     kernel, countWork(kernel), countIterations(kernel), {},
                          position++, checks};
      if (isDevice)
        candidate.needs = BlockNeeds::get(kernel);
      Group *fitting = llvm::find_if(groups, [&](Group &g) { return fits(candidate, g); });
      Group &group = fitting == groups.end() ? groups.emplace_back() : *fitting;
      group.push_back(candidate);
    }
    llvm::erase_if(groups, [](const Group &group) { return group.size() < 2; });
    return groups;
  }

  /// Returns whether each expression of the kernel has a label, by which a schedule can name it.
  static bool isMergeable(te::KernelOp kernel) {
    return llvm::all_of(kernel.getBodyBlock().without_terminator(), [](Operation &op) {
      auto compute = dyn_cast<te::ComputeOp>(op);
      return compute ? compute.getLabel().has_value() : !isa<te::ExpressionOpInterface>(op);
    });
  }

  bool fits(const Candidate &candidate, const Group &group) {
    Operands operands{group};
    if (candidate.position - group.front().position > greatestDistance ||
        candidate.checks != group.front().checks || group.size() >= greatestGroup ||
        !operands.areKnown(candidate.launch))
      return false;
    if (isDevice)
      return !operands.areOfGroup &&
             (apply == ::tssa::Apply::Always || candidate.needs == group.front().needs);
    return isSmallWith(candidate, group) ||
           (!operands.areOfGroup && !isSequence(group) &&
            (apply == ::tssa::Apply::Always ||
             (sharesOperand(candidate, group) && isBalanced(candidate, group))));
  }

  /// Returns whether a member reads a result of another one, so that one thread computes all.
  static bool isSequence(const Group &group) {
    return llvm::any_of(group, [&](Candidate reader) {
      return llvm::any_of(reader.launch.getInputs(), [&](Value value) {
        return llvm::any_of(
            group, [&](Candidate member) { return value.getDefiningOp() == member.launch; });
      });
    });
  }

  static bool isSmallWith(const Candidate &candidate, const Group &group) {
    int64_t total = 0;
    auto add = [&](const Candidate &member) {
      return member.work && !llvm::AddOverflow(total, *member.work, total) && total < smallWork;
    };
    return add(candidate) && llvm::all_of(group, add);
  }

  static bool sharesOperand(const Candidate &candidate, const Group &group) {
    return llvm::any_of(te::LaunchOp(candidate.launch).getInputs(), [&](Value value) {
      return isa<TensorType>(value.getType()) && !value.getDefiningOp<te::ConstantOp>() &&
             llvm::any_of(group, [&](Candidate member) {
               return llvm::is_contained(member.launch.getInputs(), value);
             });
    });
  }

  static bool isBalanced(const Candidate &candidate, const Group &group) {
    return llvm::all_of(group, [&](const Candidate &member) {
      if (member.kernel == candidate.kernel)
        return true;
      if (!member.work || !candidate.work || !member.iterations || !candidate.iterations)
        return false;
      double one = double(*member.work) / std::max<int64_t>(*member.iterations, 1);
      double other = double(*candidate.work) / std::max<int64_t>(*candidate.iterations, 1);
      return one <= greatestRatio * other && other <= greatestRatio * one;
    });
  }

  void merge(const Group &group, LaunchMerger &merger) {
    SmallVector<te::LaunchOp> launches;
    int64_t work = 0;
    for (const Candidate &member : group) {
      launches.push_back(member.launch);
      work += member.work.value_or(0);
    }
    Operands operands{group};
    for (te::LaunchOp member : llvm::drop_begin(launches))
      operands.areKnown(member);
    for (Operation *op : operands.moved)
      op->moveBefore(launches.front());
    te::LaunchOp launch = merger.merge(launches);
    remark::passed(launch.getLoc(), remark::RemarkOpts::name("merged").category(getArgument()))
        << remark::metric("Kernel", launch.getKernel())
        << remark::metric("LaunchesSaved", launches.size() - 1) << remark::metric("Work", work);
    numMerged += launches.size() - 1;
  }

  bool isDevice = false; ///< whether blocks of a GPU run the iterations
};
} // namespace
