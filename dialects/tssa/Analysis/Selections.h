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
/// that the name owns. If two names are given the same such storage at one time, the first of
/// them owns the slot, and this slot is a candidate of the other.
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
  /// Returns the selected names before `name` that control flow gives their refs at the same time.
  SmallVector<Value> getEarlierSiblings(Value name) const;

private:
  /// Makes the names among `roots` selected. Returns whether all candidates can be listed.
  bool select(ArrayRef<Value> roots);
  /// Adds what comes into `name` to its candidates. Returns whether this is possible; sets
  /// `changed` if there are new ones.
  bool addIncoming(Value name, bool &changed);
  bool addCandidate(Value name, const RootedPath &place, bool &changed);
  /// Adds the slots that `name` may share with the names before it, where both get the ref number
  /// `edge`.
  bool addShared(Value name, unsigned edge, bool &changed);
  const Aliases &aliases;
  llvm::MapVector<Value, SmallVector<RootedPath>> candidates;
  std::optional<Conflict> conflict;
};

} // namespace mlir::tssa::refs

#endif // DIALECTS_TSSA_ANALYSIS_SELECTIONS_H
