//===- Partition.cpp - which expressions become one launch -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Partition/Partition.h"
#include "dialects/te/IR/Contraction.h"
#include "dialects/te/IR/Rounding.h"
#include "dialects/te/Partition/BoxCost.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;
using ::tssa::Apply;

/// The search visits all expressions at most this many times.
static constexpr unsigned mostPasses = 4;
/// An expression is not copied into more launches than this.
static constexpr size_t mostRoots = 32;
/// Readers of parts of an expression with pieces may together compute up to this many times its
/// elements.
static constexpr double mostOverlap = 1.25;

/// Merging may take this use away, as when an update becomes an expression.
static constexpr StringLiteral otherUse = "an op other than a tensor expression uses it";

//===----------------------------------------------------------------------===//
// What may be decided
//===----------------------------------------------------------------------===//

static bool isOnlyRead(Operation *op) {
  return llvm::all_of(op->getUsers(), [](Operation *user) { return isa<ReadOp>(user); });
}

/// Returns whether the readers of `op` have no reduction, and read disjoint parts of it, or nearly
/// so.
static bool isReadInParts(ComputeOp op) {
  double sum = 0;
  for (Operation *user : op->getUsers()) {
    auto read = dyn_cast<ReadOp>(user);
    auto reader = read ? dyn_cast<ComputeOp>(read->getParentOp()) : ComputeOp();
    if (!read || read->getParentOp()->getBlock() != op->getBlock() ||
        (reader && reader.hasReduction()))
      return false;
    sum += getReuse(getReadSite(read, op).points, op.getParallelSizes());
  }
  return sum <= mostOverlap;
}

static bool hasOneReader(ComputeOp op) {
  Operation *first = nullptr;
  for (Operation *user : op->getUsers()) {
    if (first && user->getParentOp() != first)
      return false;
    first = user->getParentOp();
  }
  return true;
}

static bool isPlainRearrangement(ComputeOp op) {
  return op.getPieces().size() == 1 && getFacts(op).isRearrangement();
}

/// Returns whether a product that is summed has a factor from `op`, perhaps rearranged or widened.
static bool isReadByProducts(ComputeOp op) {
  return llvm::any_of(op->getUsers(), [](Operation *user) {
    auto read = dyn_cast<ReadOp>(user);
    auto reader = read ? dyn_cast<ComputeOp>(read->getParentOp()) : ComputeOp();
    if (!reader)
      return false;
    if (reader.hasReduction())
      return read->getBlock() == reader.getPieceBlock() && !findSummedProducts(reader).empty();
    return (isPlainRearrangement(reader) || isWidening(reader)) && isReadByProducts(reader);
  });
}

/// Returns the choice for `op` where there is none, and otherwise one to begin the search with.
Partition::Choice Partition::choose(ComputeOp op) const {
  if (op.hasReduction())
    return {false, true, "it is a reduction"};
  if (apply == Apply::Never)
    return {false, true, "an option says so"};
  if (isPlainRearrangement(op) || isWidening(op))
    return {true, true, ""};
  if (isRounding(op) && isReadByProducts(op))
    return {false, true, "it is rounded, and products read each element many times"};
  if (!isOnlyRead(op))
    return {false, true, otherUse};
  if (op.getPieces().size() > 1 && !hasOneReader(op) && !isReadInParts(op))
    return {false, true, "it has pieces and several users"};
  return {true, apply == Apply::Always, ""};
}

const Partition::Choice &Partition::getChoice(ComputeOp op) {
  auto [entry, isNew] = choices.try_emplace(op.getOperation());
  bool isFreed = !isNew && entry->second.reason == otherUse && isOnlyRead(op);
  if (isNew || isFreed) {
    entry->second = choose(op);
    cycles.clear(); // merging has changed the expressions
    if (!entry->second.isFixed)
      improve(op);
  }
  return choices.find(op.getOperation())->second;
}

bool Partition::isComputedWhereRead(ComputeOp op) { return getChoice(op).isComputed; }

StringRef Partition::getReason(ComputeOp op) { return getChoice(op).reason; }

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

Partition::Partition(func::FuncOp function, Apply apply, unsigned maxOps, Apply boxes)
    : apply(apply), boxes(boxes), maxOps(maxOps), function(function) {
  SmallVector<ComputeOp> ops;
  function.walk([&](ComputeOp op) { ops.push_back(op); });
  for (ComputeOp op : ops)
    choices.try_emplace(op.getOperation(), choose(op));
  limitBodies(ops);
  for (unsigned pass = 0; pass < mostPasses; ++pass) {
    bool changed = false;
    for (ComputeOp op : llvm::reverse(ops))
      changed |= !choices.find(op.getOperation())->second.isFixed && improve(op);
    if (!changed)
      break;
  }
}

/// Begins with bodies of at most `maxOps` ops: where the producers that an expression reads have
/// more, the last of them are stored.
void Partition::limitBodies(ArrayRef<ComputeOp> ops) {
  llvm::DenseMap<Operation *, unsigned> numOps;
  for (ComputeOp op : ops) {
    unsigned sum = getFacts(op).numOps;
    llvm::SmallPtrSet<Operation *, 8> seen;
    op.walk([&](ReadOp read) {
      auto producer = read.getSource().getDefiningOp<ComputeOp>();
      if (!producer || !seen.insert(producer).second || !isComputedWhereRead(producer))
        return;
      unsigned more = numOps.lookup(producer);
      if (sum + more > maxOps && more != 0)
        choices[producer] = {false, false, "the body would have too many ops"};
      else
        sum += more;
    });
    numOps[op] = sum;
  }
}

/// Returns whether `op` is stored, or used otherwise than by a read, so that a launch computes it.
bool Partition::isRoot(Operation *op) {
  auto compute = dyn_cast<ComputeOp>(op);
  return !compute || !isComputedWhereRead(compute) || !isOnlyRead(op);
}

/// Adds the roots of the groups that read `op`, directly or in a member. Returns whether these are
/// not too many.
bool Partition::collectRoots(ComputeOp op, llvm::SetVector<Operation *> &roots) {
  llvm::SmallSetVector<Operation *, 8> pending; // each member once, however many paths lead to it
  pending.insert(op);
  for (size_t next = 0; next < pending.size() && roots.size() <= mostRoots; ++next)
    for (Operation *user : pending[next]->getUsers()) {
      if (!isa<ReadOp>(user))
        continue;
      Operation *reader = user->getParentOp();
      if (isRoot(reader))
        roots.insert(reader);
      if (auto compute = dyn_cast<ComputeOp>(reader); compute && isComputedWhereRead(compute))
        pending.insert(reader);
    }
  return roots.size() <= mostRoots;
}

/// Returns the cycles that the group of `root` takes; infinity if its body has too many ops.
double Partition::getCycles(Operation *root) const {
  Group group = traceGroup(cast<ExpressionOpInterface>(root), model, [&](ComputeOp op) {
    auto choice = choices.find(op.getOperation());
    return choice != choices.end() && choice->second.isComputed;
  });
  return group.numOps > maxOps && !group.members.empty() ? std::numeric_limits<double>::infinity()
                                                         : group.getCycles(model);
}

/// Returns the cycles of the groups of `roots` if `op` is computed where it is read, or stored.
double Partition::price(ComputeOp op, bool isComputed, ArrayRef<Operation *> roots) {
  Choice &choice = choices[op.getOperation()];
  bool isNow = choice.isComputed == isComputed;
  bool before = std::exchange(choice.isComputed, isComputed);
  double sum = 0;
  for (Operation *root : roots) {
    auto known = cycles.find(root);
    double own = isNow && known != cycles.end() ? known->second : getCycles(root);
    if (isNow)
      cycles[root] = own;
    sum += own;
  }
  choices[op.getOperation()].isComputed = before;
  return sum;
}

/// Makes the better choice for `op`. Returns whether that changed something.
bool Partition::improve(ComputeOp op) {
  llvm::SetVector<Operation *> roots;
  bool before = choices.lookup(op.getOperation()).isComputed;
  if (!collectRoots(op, roots)) {
    choices[op.getOperation()] = {false, true, "too many launches would compute it"};
    cycles.clear();
    return before;
  }
  size_t numReaders = roots.size();
  double computed = price(op, true, roots.getArrayRef());
  roots.insert(op);
  double stored = price(op, false, roots.getArrayRef());
  bool isComputed = computed <= stored;
  StringRef reason;
  if (std::isinf(computed))
    reason = "the body would have too many ops";
  else if (!isComputed)
    reason = reasons.save(
        llvm::formatv("computing it in {0} would take {1:F4} ms more",
                      numReaders == 1 ? "its reader"
                                      : "its " + std::to_string(numReaders) + " readers",
                      CostModel::getMs(computed - stored))
            .str());
  choices[op.getOperation()] = {isComputed, false, reason};
  if (before != isComputed)
    cycles.clear();
  return before != isComputed;
}

//===----------------------------------------------------------------------===//
// What was decided
//===----------------------------------------------------------------------===//

void Partition::replace(Operation *from, Operation *to) {
  auto choice = choices.find(from);
  auto compute = dyn_cast<ComputeOp>(to);
  auto before = dyn_cast<ComputeOp>(from);
  if (choice == choices.end() || !compute || isPlainRearrangement(compute) ||
      (before && isWidening(before)))
    return;
  Choice same = choice->second;
  choices[to] = same;
}

SmallVector<BoxCandidate, 0> Partition::findBoxes() {
  SmallVector<BoxCandidate, 0> candidates;
  llvm::SmallPtrSet<Operation *, 8> taken;
  function.walk([&](ComputeOp root) {
    std::optional<BoxGroup> found;
    if (boxes != Apply::Never && !root->use_empty())
      found = findBoxGroup(root);
    if (!found)
      return;
    Group group = traceBoxes(*found, model,
                             [&](ComputeOp producer) { return isComputedWhereRead(producer); });
    StringRef obstacle;
    if (!fitsBoxes(group, model))
      obstacle = "its boxes are too large";
    else if (boxes == Apply::Auto && !savesTime(group, model))
      obstacle = "it saves too little";
    else if (llvm::any_of(found->ops, [&](Operation *op) { return taken.contains(op); }))
      obstacle = "a part of it is computed in other boxes";
    else
      taken.insert(found->ops.begin(), found->ops.end());
    candidates.push_back({std::move(*found), std::move(group), obstacle});
  });
  return candidates;
}

SmallVector<Group, 0> Partition::getGroups() {
  llvm::DenseMap<Operation *, Group> inBoxes; // by the root
  llvm::SmallPtrSet<Operation *, 8> members;  // of these
  for (BoxCandidate &candidate : findBoxes())
    if (candidate.obstacle.empty()) {
      members.insert(candidate.boxes.ops.begin(), candidate.boxes.ops.end() - 1);
      inBoxes[candidate.boxes.getRoot()] = std::move(candidate.group);
    }
  SmallVector<Group, 0> groups;
  function.walk([&](ExpressionOpInterface root) {
    if (root->use_empty() || !isRoot(root) || members.contains(root))
      return;
    auto box = inBoxes.find(root);
    groups.push_back(box != inBoxes.end() ? std::move(box->second)
                                          : traceGroup(root, model, [&](ComputeOp op) {
                                              return isComputedWhereRead(op);
                                            }));
  });
  return joinGroups(std::move(groups));
}
