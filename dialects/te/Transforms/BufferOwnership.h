//===- BufferOwnership.h - frees dynamically allocated buffers -*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A variable whose size is not known at the start of the program is allocated dynamically. It owns
/// its memory from its definition to its last use in the same block. At that use the memory is
/// either released, or passed on to an update, to the next iteration or out of the block. If the
/// last use is a branch that passes the memory on in one of its blocks, both blocks own it.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_TRANSFORMS_BUFFEROWNERSHIP_H
#define DIALECTS_TE_TRANSFORMS_BUFFEROWNERSHIP_H

#include "dialects/te/Transforms/BufferProgram.h"

namespace mlir::tssa::te {

/// The program points at which the memory of dynamically allocated variables is passed on or
/// released.
class BufferOwnership {
public:
  explicit BufferOwnership(BufferProgram &program);

  /// Returns whether the target of `copy` takes over the memory of its source.
  bool isMove(const Copy &copy) const { return moves.contains({copy.at, copy.number}); }
  /// Returns one tensor of each variable that is released after `op`, or before `op` if `op` is a
  /// terminator.
  ArrayRef<Value> getReleases(Operation *op) const;
  /// Returns one tensor of each variable that is released at the start of `block`, which owns it
  /// but does not use it.
  ArrayRef<Value> getReleases(Block *block) const;
  /// If `value` is computed in the buffer of a result of the program, returns the index of that
  /// result. Returns nothing otherwise, and also if the size of `value` is known at the start.
  std::optional<unsigned> getResult(Value value) const;

private:
  DenseSet<std::pair<Operation *, unsigned>> moves;
  DenseMap<Operation *, SmallVector<Value>> afterOp;
  DenseMap<Block *, SmallVector<Value>> atStart;
  DenseMap<Value, unsigned> results;

  /// The last op of a block that accesses a variable or has a nested op that does, and the accesses
  /// there; null if there is none.
  struct LastUse {
    Operation *op = nullptr;
    SmallVector<OpOperand *> operands;
  };
  static LastUse findLastUse(BufferProgram &program, unsigned variable, Block *block);
  /// Returns the copy whose target can take over the memory of the variable at its last use.
  static const Copy *findMove(BufferProgram &program, unsigned variable, const LastUse &last);
  /// Returns whether `op` is a branch with two blocks, and in one of them, at any depth, the
  /// variable can be moved.
  static bool isMovedInBranch(BufferProgram &program, unsigned variable, Operation *op);

  /// Decides what becomes of the memory of the variable, which `block` owns.
  void visit(BufferProgram &program, unsigned variable, Block *block);
  bool tryToReturn(Value value, ArrayRef<OpOperand *> lastUses);
};

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_TRANSFORMS_BUFFEROWNERSHIP_H
