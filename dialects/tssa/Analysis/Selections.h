//===- Selections.h - names that are one of several storages -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Where a copy into a name would be observable (see Aliases.h), the name is *selected*: it
/// refers to one of a list of candidates, and a tag says at run time which. A candidate is a
/// root with a path whose integers may vary. A storage that is allocated inside of the op that
/// carries the name ends with this op, so its contents move into a *slot*, a storage
/// that the name owns. If names are given views of the same such storage at one time, the one of
/// which the others are views owns the slot, the first of several alike; the others have a view of
/// this slot as a candidate.
///
/// The slot of a name stands as the root that is the name itself.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TSSA_ANALYSIS_SELECTIONS_H
#define DIALECTS_TSSA_ANALYSIS_SELECTIONS_H

#include "dialects/tssa/Analysis/Aliases.h"

namespace mlir::tssa::refs {

class Selections {
public:
  /// The names that may be the same storage as the roots of a conflict become selected, conflict by
  /// conflict, until there is none or the candidates of a name cannot be listed.
  explicit Selections(const Aliases &aliases);

  /// Returns the first conflict that remains, if there is one.
  const std::optional<Conflict> &getConflict() const { return conflict; }
  bool isSelected(Value name) const { return candidates.contains(name); }
  /// Returns the candidates of a selected name, in the order of tags.
  ArrayRef<RootedPath> getCandidates(Value name) const { return candidates.find(name)->second; }
  /// Returns whether a selected name has a slot.
  bool hasSlot(Value name) const { return findCandidate(name, {name, {}}).has_value(); }
  /// Returns the places that `ref` may refer to: one, if no selected name is its root.
  SmallVector<RootedPath> getPlaces(Value ref) const;
  /// Returns the tag of `name` that stands for `place`, from where a ref comes in: the candidate of
  /// the same root whose path differs in varying integers only, else the slot.
  std::optional<unsigned> findCandidate(Value name, const RootedPath &place) const;
  /// Returns the other selected names that control flow gives their refs together with `name`.
  SmallVector<Value> getSiblings(Value name) const;
  /// If `name` and `sibling` are given these places of one storage, and the slot of `sibling` then
  /// holds what `name` refers to, returns the view of this slot that `name` is.
  std::optional<RootedPath> getShared(Value name, const RootedPath &place, Value sibling,
                                      const RootedPath &other) const;

private:
  /// Makes the names among `roots` selected. Returns whether all candidates can be listed.
  bool select(ArrayRef<Value> roots);
  /// Adds what comes into `name` to its candidates. Returns whether this is possible; sets
  /// `changed` if there are new ones.
  bool addIncoming(Value name, bool &changed);
  bool addCandidate(Value name, const RootedPath &place, bool &changed);
  /// Brings the candidates of each name into an order that does not depend on how they were found:
  /// an argument and a result of a loop that carry one tag list the same places.
  void orderCandidates(ArrayRef<Value> names);
  /// Adds the slots that `name` may share with its siblings, where they get the refs number `edge`.
  bool addShared(Value name, unsigned edge, bool &changed);
  /// Returns whether a slot of a sibling is certain to hold `place`, where `name` gets it as the
  /// ref number `edge`.
  bool isHeldBySibling(Value name, unsigned edge, const RootedPath &place) const;
  const Aliases &aliases;
  llvm::MapVector<Value, SmallVector<RootedPath>> candidates;
  std::optional<Conflict> conflict;
};

} // namespace mlir::tssa::refs

#endif // DIALECTS_TSSA_ANALYSIS_SELECTIONS_H
