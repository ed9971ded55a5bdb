//===- SelectedRefs.h - refs that are one of several -----------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Replaces ops on a ref that is one of several: a view becomes a view of each, and a
/// read or a write becomes a branch over the tag, whose arms read or write a ref that is certain.
/// What is computed between a read and a write through one tag moves into the arms of the write, so
/// that `x += y` is one branch. tssa-functionalize then turns a branch that writes into one that
/// yields the contents of each storage: the new contents where the tag points, the old contents
/// elsewhere.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TSSA_TRANSFORMS_SELECTEDREFS_H
#define DIALECTS_TSSA_TRANSFORMS_SELECTEDREFS_H

#include "dialects/tssa/IR/TSSAOps.h"

namespace mlir::tssa::refs {

/// One of `refs`, which all have one type: the one whose index is `tag`.
struct Choice {
  /// A value of type index; null if there is one ref.
  Value tag;
  SmallVector<Value> refs;
};

class SelectedRefs {
public:
  explicit SelectedRefs(OpBuilder &builder) : builder(builder) {}

  /// From now on, the selected `name` is `choice`.
  void add(Value name, Choice choice);
  bool contains(Value ref) const { return selected.contains(ref); }
  /// Returns what `ref` may be; itself if it is not selected.
  Choice getChoice(Value ref) const;
  /// Returns the path from the selected name to `ref`, a view of it.
  const Path &getPathFromName(Value ref) const { return selected.find(ref)->second.path; }
  /// Makes `view` a view of each ref that `source` may be, along `path`.
  void addView(Value view, Value source, const Path &path);

  /// Replaces `op` if it is a view, a read, a write or a dim of a selected ref.
  void rewrite(Operation *op);
  /// Returns the elements of `ref`.
  Value read(Location loc, Value ref);

  using Emit = function_ref<SmallVector<Value>(OpBuilder &, unsigned number)>;
  /// Builds a branch over the tag of `choice` in which `emit` builds the arm of each ref. Returns
  /// the results, of `types`.
  static SmallVector<Value> branch(OpBuilder &builder, Location loc, const Choice &choice,
                                   TypeRange types, Emit emit);

private:
  void rewriteRead(ReadOp read);
  void rewriteWrite(WriteOp write);
  void rewriteDim(DimOp dim);
  /// Returns, in order, the ops before `write` that only serve to compute its value and may move
  /// into its arms; nothing if none of them is a read through its tag.
  SmallVector<Operation *> findSlice(WriteOp write) const;
  /// Returns the tag of the selected name that `ref` is a view of; null if there is none. Views
  /// after the op at hand are not known yet.
  Value findTag(Value ref) const;
  /// Returns whether `op` may move down to `write`, as far as it does not depend on its users.
  bool canMoveTo(Operation *op, WriteOp write) const;
  /// Returns whether `read` moves into the arms of a write after it.
  bool isPartOfWrite(ReadOp read) const;

  struct Selected {
    Choice choice;
    /// From the selected name.
    Path path;
  };
  OpBuilder &builder;
  DenseMap<Value, Selected> selected;
  /// The storages of the refs that names are one of.
  DenseSet<Value> roots;
};

/// Returns `whenTrue` where `tag` is `number`, else `whenFalse`.
Value selectByTag(OpBuilder &builder, Location loc, Value tag, unsigned number, Value whenTrue,
                  Value whenFalse);

} // namespace mlir::tssa::refs

#endif // DIALECTS_TSSA_TRANSFORMS_SELECTEDREFS_H
