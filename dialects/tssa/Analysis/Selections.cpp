//===- Selections.cpp - names that are one of several storages -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/tssa/Analysis/Selections.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::refs;

/// A name with more candidates is refused: each read and each write has code for all of them.
static constexpr unsigned maxCandidates = 8;

/// Returns whether a storage with this root ends with the op that carries `name`.
static bool endsWithCarrier(Value name, Value root) {
  return getCarrier(name)->isAncestor(root.getParentBlock()->getParentOp());
}

SmallVector<RootedPath> Selections::getPlaces(Value ref) const {
  RootedPath rooted = aliases.getRootedPath(ref);
  const auto *selected = candidates.find(rooted.root);
  if (!rooted.root || selected == candidates.end())
    return {rooted};
  return llvm::map_to_vector(selected->second, [&](const RootedPath &candidate) {
    SmallVector<Attribute> steps(candidate.path.getValue());
    llvm::append_range(steps, rooted.path);
    return RootedPath{candidate.root, ArrayAttr::get(rooted.path.getContext(), steps)};
  });
}

std::optional<unsigned> Selections::findCandidate(Value name, const RootedPath &place) const {
  std::optional<unsigned> slot;
  for (auto [tag, candidate] : llvm::enumerate(getCandidates(name))) {
    if (candidate.root == name)
      slot = tag;
    else if (candidate.root == place.root && mergePaths(candidate.path, place.path))
      return tag;
  }
  return slot;
}

SmallVector<Value> Selections::getSiblings(Value name) const {
  SmallVector<Value> siblings;
  for (auto &[other, places] : candidates)
    if (other != name && areGivenTogether(other, name))
      siblings.push_back(other);
  return siblings;
}

/// Returns the steps of `path` after those of `prefix`; null if it does not begin with them, or if
/// they have integers that vary.
static ArrayAttr dropPrefix(ArrayAttr path, ArrayAttr prefix) {
  if (countDynamic(prefix) || prefix.size() > path.size() ||
      path.getValue().take_front(prefix.size()) != prefix.getValue())
    return {};
  return ArrayAttr::get(path.getContext(), path.getValue().drop_front(prefix.size()));
}

std::optional<RootedPath> Selections::getShared(Value name, const RootedPath &place, Value sibling,
                                                const RootedPath &other) const {
  ArrayAttr rest = dropPrefix(place.path, other.path);
  if (place.root != other.root || !rest)
    return std::nullopt;
  // Of two that are the same view, the first owns the slot.
  if (rest.empty() && candidates.find(name) < candidates.find(sibling))
    return std::nullopt;
  return RootedPath{sibling, rest};
}

/// Returns whether two views of the storage `root` have no element in common.
static bool haveNothingInCommon(Value root, ArrayAttr left, ArrayAttr right) {
  auto type = cast<RefType>(root.getType());
  if (countDynamic(left) || countDynamic(right) || ShapedType::isDynamicShape(type.getShape()))
    return false;
  SmallVector<OpFoldResult> sizes = getAsIndexOpFoldResult(root.getContext(), type.getShape());
  return relate(bindPath(left, {}), bindPath(right, {}), sizes) == Relation::Disjoint;
}

bool Selections::addCandidate(Value name, const RootedPath &place, bool &changed) {
  SmallVector<RootedPath> &known = candidates[name];
  for (RootedPath &candidate : known) {
    if (candidate.root != place.root)
      continue;
    ArrayAttr merged = mergePaths(candidate.path, place.path);
    if (!merged)
      continue;
    changed |= merged != candidate.path;
    candidate.path = merged;
    return true;
  }
  changed = true;
  known.push_back(place);
  return known.size() <= maxCandidates;
}

bool Selections::addShared(Value name, unsigned edge, bool &changed) {
  SmallVector<RootedPath> own = getPlaces(getIncomingOperands(name)[edge]->get());
  for (Value sibling : getSiblings(name))
    for (const RootedPath &other : getPlaces(getIncomingOperands(sibling)[edge]->get()))
      for (const RootedPath &place : own) {
        if (!place.root || place.root != other.root || !endsWithCarrier(name, place.root) ||
            haveNothingInCommon(place.root, place.path, other.path))
          continue;
        std::optional<RootedPath> shared = getShared(name, place, sibling, other);
        if (shared && !addCandidate(name, *shared, changed))
          return false;
        if (!shared && !getShared(sibling, other, name, place))
          return false; // two views that overlap, neither of which is a view of the other
      }
  return true;
}

bool Selections::isHeldBySibling(Value name, unsigned edge, const RootedPath &place) const {
  return llvm::any_of(getSiblings(name), [&](Value sibling) {
    SmallVector<RootedPath> others = getPlaces(getIncomingOperands(sibling)[edge]->get());
    return others.size() == 1 && getShared(name, place, sibling, others[0]);
  });
}

bool Selections::addIncoming(Value name, bool &changed) {
  ArrayAttr whole = ArrayAttr::get(name.getContext(), {});
  for (auto [edge, incoming] : llvm::enumerate(getIncomingOperands(name))) {
    for (const RootedPath &place : getPlaces(incoming->get())) {
      if (!place.root)
        continue;
      bool isInSlot = endsWithCarrier(name, place.root);
      if (isInSlot && isHeldBySibling(name, edge, place))
        continue;
      if (!addCandidate(name, isInSlot ? RootedPath{name, whole} : place, changed))
        return false;
    }
    if (!addShared(name, edge, changed))
      return false;
  }
  return true;
}

/// Returns the number of each value in the order in which the function defines them.
static DenseMap<Value, unsigned> numberValues(Operation *function) {
  DenseMap<Value, unsigned> numbers;
  auto add = [&](Value value) { numbers.try_emplace(value, numbers.size()); };
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    llvm::for_each(op->getResults(), add);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), add);
  });
  return numbers;
}

void Selections::orderCandidates(ArrayRef<Value> names) {
  if (names.empty())
    return;
  Value first = names.front();
  Operation *function = first.getParentBlock()->getParentOp();
  while (!isa<FunctionOpInterface>(function))
    function = function->getParentOp();
  DenseMap<Value, unsigned> numbers = numberValues(function);
  for (Value name : names) {
    auto getKey = [&](RootedPath place) {
      unsigned kind = place.root == name ? 0 : areGivenTogether(place.root, name) ? 1 : 2;
      std::string path;
      llvm::raw_string_ostream(path) << place.path;
      return std::tuple(kind, numbers.lookup(place.root), path);
    };
    llvm::stable_sort(candidates[name], [&](RootedPath left, RootedPath right) {
      return getKey(left) < getKey(right);
    });
  }
}

bool Selections::select(ArrayRef<Value> roots) {
  SmallVector<Value> names = llvm::filter_to_vector(aliases.getNames(), [&](Value name) {
    return llvm::is_contained(roots, name) && aliases.isOwner(name);
  });
  for (Value name : names)
    candidates[name] = {};
  for (bool changed = true; changed;) {
    changed = false;
    for (Value name : names)
      if (!addIncoming(name, changed))
        return false;
  }
  orderCandidates(names);
  return true;
}

Selections::Selections(const Aliases &aliases) : aliases(aliases) {
  DenseSet<Value> resolved;
  auto isResolved = [&](Value root) { return resolved.contains(root); };
  while ((conflict = aliases.findConflict(isResolved))) {
    SmallVector<Value> roots = aliases.getAliased(conflict->name);
    if (!select(roots))
      return;
    resolved.insert(roots.begin(), roots.end());
  }
}
