//===- Aliases.cpp - which storage each name may be -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/tssa/Analysis/Aliases.h"
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
  return {};
}

void Aliases::findNames() {
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isa<scf::IfOp, scf::ForOp, scf::WhileOp>(op))
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
// Places
//===----------------------------------------------------------------------===//

/// The steps of `left` with `?` where those of `right` have other integers; null where
/// they are other steps.
static ArrayAttr joinPaths(ArrayAttr left, ArrayAttr right) {
  if (left.size() != right.size())
    return {};
  SmallVector<Attribute> joined;
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
    joined.push_back(l.withIntegers(integers));
  }
  return ArrayAttr::get(left.getContext(), joined);
}

Place Aliases::getPlace(Value ref) const {
  Value root = getRoot(ref);
  SmallVector<Value> operands;
  ArrayAttr path = splitPath(context, getPathFromRoot(ref), operands);
  auto known = places.find(root);
  if (known == places.end())
    return {root, path};
  if (!known->second.root)
    return {};
  SmallVector<Attribute> steps(known->second.path.getValue());
  llvm::append_range(steps, path);
  return {known->second.root, ArrayAttr::get(context, steps)};
}

/// The op that a name is an argument or a result of.
static Operation *getCarrier(Value name) {
  if (auto argument = dyn_cast<BlockArgument>(name))
    return argument.getOwner()->getParentOp();
  return name.getDefiningOp();
}

/// What `name` is, as far as is known: nothing is known of a place without a root.
Place Aliases::join(Value name) const {
  Place own{name, ArrayAttr::get(context, {})};
  Place joined;
  for (OpOperand *incoming : getIncomingOperands(name)) {
    Place place = getPlace(incoming->get());
    if (!place.root || place.root == name)
      continue;
    // A storage made inside is another one each time.
    if (getCarrier(name)->isAncestor(place.root.getParentBlock()->getParentOp()))
      return own;
    if (!joined.root) {
      joined = place;
      continue;
    }
    ArrayAttr path = place.root == joined.root ? joinPaths(joined.path, place.path) : ArrayAttr();
    if (!path)
      return own;
    joined.path = path;
  }
  return joined;
}

void Aliases::findPlaces() {
  for (Value name : names)
    places[name] = {};
  auto forgetOthers = [&] {
    for (Value name : names)
      if (places[name].root != name)
        places[name] = {};
  };
  // Places get less precise only: unknown, a path, one with more `?`. When a name is
  // found to be its own storage, what was concluded from it is found anew.
  bool changed = true;
  while (changed) {
    changed = false;
    for (Value name : names) {
      Place &place = places[name];
      Place joined = join(name);
      if (place.root == name || !joined.root || joined == place)
        continue;
      place = joined;
      changed = true;
      if (joined.root == name) {
        forgetOthers();
        break;
      }
    }
  }
}

//===----------------------------------------------------------------------===//
// Conflicts
//===----------------------------------------------------------------------===//

/// Whether control flow gives `left` and `right` their storages at once.
static bool areGivenTogether(Value left, Value right) {
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
        edges[name].push_back({getPlace(incoming->get()).root, incoming->getOwner()});
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
  // What is inside of the op ends where the name begins.
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
      accesses.push_back({getPlace(read.getRef()).root, op, false});
    else if (auto write = dyn_cast<WriteOp>(op))
      accesses.push_back({getPlace(write.getRef()).root, op, true});
  });
  for (auto &[name, incoming] : edges)
    for (const Edge &edge : incoming)
      if (edge.from && edge.from != name)
        accesses.push_back({edge.from, edge.at, false});
  for (Value returned : end->getOperands())
    if (isa<RefType>(returned.getType()))
      accesses.push_back({getPlace(returned).root, end, false});
  // The caller looks at its storages afterwards.
  for (Value argument : function.getArguments())
    if (isa<RefType>(argument.getType()))
      accesses.push_back({argument, end, false});
  // So does the next run at constants.
  function.walk([&](AllocOp storage) {
    if (getConstantName(storage))
      accesses.push_back({storage, end, false});
  });
}

/// Whether `root` has its storage where `op` runs; it would be given another one before any use
/// after `op` otherwise.
static bool isGivenBefore(Value root, Operation *op) {
  if (auto argument = dyn_cast<BlockArgument>(root))
    return argument.getOwner()->getParent()->isAncestor(op->getParentRegion());
  Operation *ancestor = root.getParentBlock()->findAncestorOpInBlock(*op);
  return ancestor && root.getDefiningOp()->isBeforeInBlock(ancestor);
}

/// Whether `later` may run after `earlier` while the storage that `root` names is the
/// same one: again in a loop only when it is made outside of the loop.
static bool mayFollow(Operation *earlier, Operation *later, Value root) {
  Operation *ancestor = earlier;
  while (!ancestor->isAncestor(later))
    ancestor = ancestor->getParentOp();
  for (Operation *loop = ancestor; loop; loop = loop->getParentOp())
    if (isa<scf::ForOp, scf::WhileOp>(loop) && loop != earlier && loop != later &&
        !loop->isAncestor(root.getParentBlock()->getParentOp()))
      return true;
  // The operands of an op are used before what is inside of it runs.
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

std::optional<Conflict> Aliases::findConflict() const {
  for (const Access &write : accesses) {
    // Most storages have no other name.
    if (!write.isWrite || !aliased.contains(write.root))
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
  findPlaces();
  findEdges();
  findAliased();
  findAccesses();
}
