//===- Aliases.cpp - which storage each name may be -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/tssa/Analysis/Aliases.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::refs;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

static SmallVector<OpOperand *> getIncomingOfArgument(BlockArgument argument) {
  Operation *parent = argument.getOwner()->getParentOp();
  if (auto loop = dyn_cast<scf::ForOp>(parent))
    return {loop.getTiedLoopInit(argument), loop.getTiedLoopYieldedValue(argument)};
  auto loop = dyn_cast<scf::WhileOp>(parent);
  if (!loop)
    return {};
  unsigned number = argument.getArgNumber();
  if (argument.getOwner() == loop.getAfterBody())
    return {&loop.getConditionOp()->getOpOperand(number + 1)};
  return {&loop->getOpOperand(number), &loop.getYieldOp()->getOpOperand(number)};
}

SmallVector<OpOperand *> refs::getIncomingOperands(Value name) {
  if (auto argument = dyn_cast<BlockArgument>(name))
    return getIncomingOfArgument(argument);
  auto result = cast<OpResult>(name);
  unsigned number = result.getResultNumber();
  if (auto branch = dyn_cast<scf::IfOp>(result.getOwner()))
    return {&branch.thenYield()->getOpOperand(number), &branch.elseYield()->getOpOperand(number)};
  if (auto loop = dyn_cast<scf::ForOp>(result.getOwner()))
    return {&loop.getInitsMutable()[number],
            &loop.getBody()->getTerminator()->getOpOperand(number)};
  if (auto loop = dyn_cast<scf::WhileOp>(result.getOwner()))
    return {&loop.getConditionOp()->getOpOperand(number + 1)};
  if (auto select = dyn_cast<arith::SelectOp>(result.getOwner()))
    return {&select.getTrueValueMutable(), &select.getFalseValueMutable()};
  return {};
}

void Aliases::findNames() {
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isa<scf::IfOp, scf::ForOp, scf::WhileOp, arith::SelectOp>(op))
      return;
    for (Region &region : op->getRegions())
      for (Value argument : region.getArguments())
        if (isa<RefType>(argument.getType()))
          names.push_back(argument);
    for (Value result : op->getResults())
      if (isa<RefType>(result.getType()))
        names.push_back(result);
  });
}

//===----------------------------------------------------------------------===//
// Roots and paths
//===----------------------------------------------------------------------===//

ArrayAttr refs::mergePaths(ArrayAttr left, ArrayAttr right) {
  if (left.size() != right.size())
    return {};
  SmallVector<Attribute> merged;
  for (auto [l, r] : llvm::zip_equal(left.getAsRange<ViewStep>(), right.getAsRange<ViewStep>())) {
    ArrayRef<int64_t> others = r.getIntegers();
    if (l.getStepName() != r.getStepName() || l.getIntegers().size() != others.size())
      return {};
    SmallVector<int64_t> integers(l.getIntegers());
    for (auto [i, integer] : llvm::enumerate(integers)) {
      if (integer == others[i])
        continue;
      if (!l.mayVary(i))
        return {};
      integer = ShapedType::kDynamic;
    }
    merged.push_back(l.withIntegers(integers));
  }
  return ArrayAttr::get(left.getContext(), merged);
}

RootedPath Aliases::getRootedPath(Value ref) const {
  Value root = getRoot(ref);
  SmallVector<Value> operands;
  ArrayAttr path = splitPath(context, getPathFromRoot(ref), operands);
  auto known = rootedPaths.find(root);
  if (known == rootedPaths.end())
    return {root, path};
  if (!known->second.root)
    return {};
  SmallVector<Attribute> steps(known->second.path.getValue());
  llvm::append_range(steps, path);
  return {known->second.root, ArrayAttr::get(context, steps)};
}

Operation *refs::getCarrier(Value name) {
  if (auto argument = dyn_cast<BlockArgument>(name))
    return argument.getOwner()->getParentOp();
  return name.getDefiningOp();
}

/// Merges the root and path of all refs that come into `name`. Returns `name` itself as the root if
/// the refs disagree, and a null root if nothing is known of any ref yet.
RootedPath Aliases::mergeIncoming(Value name) const {
  RootedPath own{name, ArrayAttr::get(context, {})};
  RootedPath merged;
  for (OpOperand *incoming : getIncomingOperands(name)) {
    RootedPath rooted = getRootedPath(incoming->get());
    if (!rooted.root || rooted.root == name)
      continue;
    // A storage that is allocated inside of the op is a new storage in each execution.
    if (getCarrier(name)->isAncestor(rooted.root.getParentBlock()->getParentOp()))
      return own;
    if (!merged.root) {
      merged = rooted;
      continue;
    }
    ArrayAttr path =
        rooted.root == merged.root ? mergePaths(merged.path, rooted.path) : ArrayAttr();
    if (!path)
      return own;
    merged.path = path;
  }
  return merged;
}

void Aliases::findRootedPaths() {
  for (Value name : names)
    rootedPaths[name] = {};
  auto forgetOthers = [&] {
    for (Value name : names)
      if (rootedPaths[name].root != name)
        rootedPaths[name] = {};
  };
  // What is known of a name changes in one direction only: at first nothing is known, then a root
  // and a path, then a path with more `?`, and at last the name is its own root. When a name
  // becomes its own root, the other names are computed anew.
  bool changed = true;
  while (changed) {
    changed = false;
    for (Value name : names) {
      RootedPath &rooted = rootedPaths[name];
      RootedPath merged = mergeIncoming(name);
      if (rooted.root == name || !merged.root || merged == rooted)
        continue;
      rooted = merged;
      changed = true;
      if (merged.root == name) {
        forgetOthers();
        break;
      }
    }
  }
}

//===----------------------------------------------------------------------===//
// Conflicts
//===----------------------------------------------------------------------===//

bool refs::areGivenTogether(Value left, Value right) {
  if (isStorage(left) || isStorage(right))
    return false;
  auto l = dyn_cast<BlockArgument>(left), r = dyn_cast<BlockArgument>(right);
  return l && r ? l.getOwner() == r.getOwner()
                : !l && !r && left.getDefiningOp() == right.getDefiningOp();
}

void Aliases::findEdges() {
  for (Value name : names)
    if (isOwner(name))
      for (OpOperand *incoming : getIncomingOperands(name))
        edges[name].push_back({getRootedPath(incoming->get()).root, incoming->getOwner()});
}

bool Aliases::mayBeSame(Value left, Value right) const {
  auto others = aliased.find(left);
  return left == right || (others != aliased.end() && others->second.contains(right));
}

bool Aliases::isGivenStorageOf(Value name, Value other) const {
  ArrayRef<Edge> incoming = edges.find(name)->second;
  if (areGivenTogether(name, other)) {
    auto others = edges.find(other);
    return others != edges.end() &&
           llvm::any_of(llvm::zip_equal(incoming, others->second), [&](auto both) {
             return mayBeSame(std::get<0>(both).from, std::get<1>(both).from);
           });
  }
  // A value inside of the op that carries the name is dead when the name is defined.
  return !getCarrier(name)->isAncestor(other.getParentBlock()->getParentOp()) &&
         llvm::any_of(incoming, [&](const Edge &edge) { return mayBeSame(edge.from, other); });
}

void Aliases::findAliased() {
  SetVector<Value> roots;
  for (auto &[name, incoming] : edges) {
    roots.insert(name);
    for (const Edge &edge : incoming)
      if (edge.from)
        roots.insert(edge.from);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (auto &[name, incoming] : edges)
      for (Value other : roots)
        if (!mayBeSame(name, other) && isGivenStorageOf(name, other)) {
          aliased[name].insert(other);
          aliased[other].insert(name);
          changed = true;
        }
  }
}

void Aliases::findAccesses() {
  Operation *end = function.getBody().front().getTerminator();
  function.walk([&](Operation *op) {
    if (auto read = dyn_cast<ReadOp>(op))
      accesses.push_back({getRootedPath(read.getRef()).root, op, false});
    else if (auto write = dyn_cast<WriteOp>(op))
      accesses.push_back({getRootedPath(write.getRef()).root, op, true});
  });
  for (auto &[name, incoming] : edges)
    for (const Edge &edge : incoming)
      if (edge.from && edge.from != name)
        accesses.push_back({edge.from, edge.at, false});
  for (Value returned : end->getOperands())
    if (isa<RefType>(returned.getType()))
      accesses.push_back({getRootedPath(returned).root, end, false});
  // The caller may read its storages after the function returns.
  for (Value argument : function.getArguments())
    if (isa<RefType>(argument.getType()))
      accesses.push_back({argument, end, false});
  // The next run reads the constants.
  function.walk([&](AllocOp storage) {
    if (getConstantName(storage))
      accesses.push_back({storage, end, false});
  });
}

/// Returns whether `root` is already bound to its storage when `op` runs. If not, it is bound to a
/// storage before any use after `op`.
static bool isGivenBefore(Value root, Operation *op) {
  if (auto argument = dyn_cast<BlockArgument>(root))
    return argument.getOwner()->getParent()->isAncestor(op->getParentRegion());
  Operation *ancestor = root.getParentBlock()->findAncestorOpInBlock(*op);
  return ancestor && root.getDefiningOp()->isBeforeInBlock(ancestor);
}

/// Returns whether `later` may run after `earlier` while `root` still names the same storage. In
/// a later iteration of a loop, `root` names the same storage only if it is defined outside of the
/// loop.
static bool mayFollow(Operation *earlier, Operation *later, Value root) {
  Operation *ancestor = earlier;
  while (!ancestor->isAncestor(later))
    ancestor = ancestor->getParentOp();
  for (Operation *loop = ancestor; loop; loop = loop->getParentOp())
    if (isa<scf::ForOp, scf::WhileOp>(loop) && loop != earlier && loop != later &&
        !loop->isAncestor(root.getParentBlock()->getParentOp()))
      return true;
  // An op uses its operands before its regions run.
  if (ancestor == earlier || ancestor == later)
    return ancestor == earlier && earlier != later;
  Region *left = nullptr, *right = nullptr;
  for (Region &region : ancestor->getRegions()) {
    if (region.isAncestor(earlier->getParentRegion()))
      left = &region;
    if (region.isAncestor(later->getParentRegion()))
      right = &region;
  }
  if (left != right)
    return isa<scf::WhileOp>(ancestor) && left->getRegionNumber() < right->getRegionNumber();
  Block &block = left->front();
  return block.findAncestorOpInBlock(*earlier)->isBeforeInBlock(
      block.findAncestorOpInBlock(*later));
}

SmallVector<Value> Aliases::getAliased(Value root) const {
  llvm::SetVector<Value> found;
  found.insert(root);
  for (unsigned i = 0; i < found.size(); ++i)
    if (auto others = aliased.find(found[i]); others != aliased.end())
      found.insert(others->second.begin(), others->second.end());
  return found.takeVector();
}

std::optional<Conflict> Aliases::findConflict(function_ref<bool(Value root)> isResolved) const {
  for (const Access &write : accesses) {
    // Most storages have no alias.
    if (!write.isWrite || !aliased.contains(write.root) || isResolved(write.root))
      continue;
    for (const Access &use : accesses) {
      if (write.root == use.root || !mayBeSame(write.root, use.root) ||
          !isGivenBefore(use.root, write.op) || !mayFollow(write.op, use.op, use.root))
        continue;
      bool writesName = !isStorage(write.root);
      return Conflict{writesName ? write.root : use.root, writesName ? use.root : write.root,
                      write.op, use.op};
    }
  }
  return std::nullopt;
}

Aliases::Aliases(func::FuncOp function) : function(function), context(function.getContext()) {
  findNames();
  findRootedPaths();
  findEdges();
  findAliased();
  findAccesses();
}
