//===- BufferOwnership.h - who frees what grows ----------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A variable whose size is known only later owns memory of its own, from its
/// definition to its last use in the same block. At that use the memory either
/// moves on, to the next iteration or out of the block, or is released.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_TRANSFORMS_BUFFEROWNERSHIP_H
#define DIALECTS_TE_TRANSFORMS_BUFFEROWNERSHIP_H

#include "dialects/te/Transforms/BufferProgram.h"

namespace mlir::tssa::te {

class BufferOwnership {
public:
  explicit BufferOwnership(BufferProgram &program);

  /// The target of the copy takes over the memory of its source.
  bool isMove(const Copy &copy) const { return moves.contains({copy.at, copy.number}); }
  /// A tensor of each variable to be released after `op` (before it when it ends
  /// its block).
  ArrayRef<Value> getReleases(Operation *op) const;
  /// The same for arguments of a block that nobody uses.
  ArrayRef<Value> getReleases(Block *block) const;
  /// The result whose storage `value` is made in, although its size is not known
  /// at the start.
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
