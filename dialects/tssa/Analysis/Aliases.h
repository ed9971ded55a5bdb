//===- Aliases.h - which storage each name may be -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A *name* is a ref that control flow carries: an argument of a region or a result of
/// scf.if, scf.for, scf.while or arith.select. For each name, this analysis finds the one storage that it
/// always refers to, with a path whose integers may vary. If there is no such storage, the
/// name is treated as a storage of its own, into which each incoming ref is copied. The copy
/// is observable if two roots may be the same storage at one time, one of them is written,
/// and the other is used afterwards; that is a conflict. Selections.h says what becomes of it.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TSSA_ANALYSIS_ALIASES_H
#define DIALECTS_TSSA_ANALYSIS_ALIASES_H

#include "dialects/tssa/Analysis/Storages.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::tssa::refs {

/// The root that a ref is a view of, and the path from that root to the ref.
struct RootedPath {
  /// A storage, or a name that is treated as one; null if it is not known yet.
  Value root;
  /// The view steps; an integer is `?` if it is an SSA value or differs between incoming refs.
  ArrayAttr path;

  bool operator==(const RootedPath &other) const {
    return root == other.root && path == other.path;
  }
};

/// A name into which refs are copied, a root that it may alias, and the write and the later use
/// that make the copy observable.
struct Conflict {
  Value name, other;
  Operation *write, *use;
};

class Aliases {
public:
  explicit Aliases(func::FuncOp function);

  /// Returns the root of `ref` and the path to it.
  RootedPath getRootedPath(Value ref) const;
  /// Returns all names in program order.
  ArrayRef<Value> getNames() const { return names; }
  /// Returns whether incoming refs are copied into `name`.
  bool isOwner(Value name) const { return getRootedPath(name).root == name; }
  /// Returns the first conflict, if there is one. Leaves out writes to roots for which
  /// `isResolved`.
  std::optional<Conflict> findConflict(function_ref<bool(Value root)> isResolved) const;
  /// Returns the roots that may, directly or through others, be the same storage as `root`, with
  /// `root` itself.
  SmallVector<Value> getAliased(Value root) const;

private:
  /// A root that is copied into a name, and the op whose operand refers to this root.
  struct Edge {
    Value from;
    Operation *at;
  };
  struct Access {
    Value root;
    Operation *op;
    bool isWrite;
  };
  void findNames();
  void findRootedPaths();
  RootedPath mergeIncoming(Value name) const;
  void findEdges();
  void findAccesses();
  void findAliased();
  /// Returns whether two roots may be the same storage at one time.
  bool mayBeSame(Value left, Value right) const;
  /// Returns whether a ref that comes into `name` may refer to the storage that `other` refers to
  /// at that time.
  bool isGivenStorageOf(Value name, Value other) const;

  func::FuncOp function;
  MLIRContext *context;
  SmallVector<Value> names;
  DenseMap<Value, RootedPath> rootedPaths;
  /// For each name into which refs are copied, the incoming roots in the order of
  /// `getIncomingOperands`.
  llvm::MapVector<Value, SmallVector<Edge>> edges;
  /// For each root, the other roots that may be the same storage at one time.
  DenseMap<Value, DenseSet<Value>> aliased;
  SmallVector<Access> accesses;
};

/// Returns the operands whose values control flow passes to `name`: inits of loops, and operands of
/// yields and conditions.
SmallVector<OpOperand *> getIncomingOperands(Value name);

/// Returns the op that has `name` as a region argument or as a result.
Operation *getCarrier(Value name);

/// Returns whether control flow assigns `left` and `right` their refs at the same time.
bool areGivenTogether(Value left, Value right);

/// Returns the steps of `left` with `?` for each integer that differs in `right`. Returns null if
/// the steps differ in anything but integers that may vary.
ArrayAttr mergePaths(ArrayAttr left, ArrayAttr right);

} // namespace mlir::tssa::refs

#endif // DIALECTS_TSSA_ANALYSIS_ALIASES_H
