//===- Aliases.h - which storage each name may be -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A name is a ref that control flow carries: an argument of a region or a result of
/// scf.if, scf.for or scf.while. For each this analysis finds either the one storage and
/// path that it always is, up to the integers of the path, or that it is none: then the
/// name is as good as a storage of its own, into which each incoming ref is copied, as
/// long as nobody can tell. Somebody can where two roots may be the same storage at one
/// time, one of them is written, and the other used afterwards.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TSSA_ANALYSIS_ALIASES_H
#define DIALECTS_TSSA_ANALYSIS_ALIASES_H

#include "dialects/tssa/Analysis/Storages.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::tssa::refs {

/// What a ref is a window on.
struct Place {
  /// A storage, or a name that is as good as one.
  Value root;
  /// The steps from the root on; a `?` where the integer is a value or changes.
  ArrayAttr path;

  bool operator==(const Place &other) const { return root == other.root && path == other.path; }
};

/// A name that copies what comes in, and somebody who could tell.
struct Conflict {
  Value name, other;
  Operation *write, *use;
};

class Aliases {
public:
  explicit Aliases(func::FuncOp function);

  /// Where `ref` lies.
  Place getPlace(Value ref) const;
  /// All names, in the order of the program.
  ArrayRef<Value> getNames() const { return names; }
  /// Whether `name` is copied into.
  bool isOwner(Value name) const { return getPlace(name).root == name; }
  /// The first conflict of a name that is copied into, if there is one.
  std::optional<Conflict> findConflict() const;

private:
  /// A root that is copied into a name, and the op whose operand it is.
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
  void findPlaces();
  Place join(Value name) const;
  void findEdges();
  void findAccesses();
  void findAliased();
  /// Whether two roots may be the same storage in the program, both at one time.
  bool mayBeSame(Value left, Value right) const;
  /// Whether what comes into `name` may be the storage that `other` has then.
  bool isGivenStorageOf(Value name, Value other) const;

  func::FuncOp function;
  MLIRContext *context;
  SmallVector<Value> names;
  DenseMap<Value, Place> places;
  /// What comes into each name that is copied into, in the order of `getIncomingOperands`.
  llvm::MapVector<Value, SmallVector<Edge>> edges;
  /// For each root the others that may be the same storage at one time.
  DenseMap<Value, DenseSet<Value>> aliased;
  SmallVector<Access> accesses;
};

/// The refs that come into a name, each with the op that it is an operand of.
SmallVector<OpOperand *> getIncomingOperands(Value name);

} // namespace mlir::tssa::refs

#endif // DIALECTS_TSSA_ANALYSIS_ALIASES_H
