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
/// either released, or passed on to the next iteration or out of the block.
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
  /// Returns the arguments of `block` that are released at its start, because they have no use.
  ArrayRef<Value> getReleases(Block *block) const;
  /// If `value` is computed in the buffer of a result of the program, returns the index of that
  /// result. Returns nothing otherwise, and also if the size of `value` is known at the start.
  std::optional<unsigned> getResult(Value value) const;

private:
  DenseSet<std::pair<Operation *, unsigned>> moves;
  DenseMap<Operation *, SmallVector<Value>> afterOp;
  DenseMap<Block *, SmallVector<Value>> atStart;
  DenseMap<Value, unsigned> results;

  void visit(BufferProgram &program, unsigned variable);
  bool tryToMove(BufferProgram &program, unsigned variable, Operation *last,
                 ArrayRef<OpOperand *> lastUses);
  bool tryToReturn(Value value, ArrayRef<OpOperand *> lastUses);
};

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_TRANSFORMS_BUFFEROWNERSHIP_H
