//===- BufferRewriter.h - tensors become memrefs ---------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_TRANSFORMS_BUFFERREWRITER_H
#define DIALECTS_TE_TRANSFORMS_BUFFERREWRITER_H

#include "dialects/te/Transforms/BufferOwnership.h"
#include "dialects/te/Transforms/BufferPlacement.h"
#include "dialects/te/Transforms/WeightCollector.h"

namespace mlir::tssa::te {

/// Rewrites a host program to memrefs, which are the planned buffers. The function gets two more
/// arguments, the weights and the arena.
class BufferRewriter {
public:
  BufferRewriter(func::FuncOp function, BufferProgram &program, const JoinPlaces &places,
                 BufferPlacement &placement, const BufferOwnership &ownership, EntrySizes &sizes,
                 WeightCollector &weights)
      : function(function), program(program), places(places), placement(placement),
        ownership(ownership), sizes(sizes), weights(weights), builder(function.getContext()) {}

  LogicalResult run();
  unsigned getNumCopies() const { return numCopies; }

private:
  func::FuncOp function;
  BufferProgram &program;
  const JoinPlaces &places;
  BufferPlacement &placement;
  const BufferOwnership &ownership;
  EntrySizes &sizes;
  WeightCollector &weights;
  OpBuilder builder;
  Value weightsBase, arena;
  SmallVector<Value> resultBuffers;
  DenseMap<Value, Value> memrefs;
  SmallVector<Operation *> dead;
  SmallVector<std::pair<Block *, unsigned>> deadArguments;
  unsigned numCopies = 0;

  void convertSignature();
  void allocateResults();
  void finish();

  LogicalResult rewriteBlock(Block &block);
  LogicalResult rewrite(Operation *op);
  LogicalResult rewriteConstant(ConstantOp op);
  void rewriteLaunch(LaunchOp op);
  void rewriteExtern(ExternOp op);
  void rewriteElements(Operation *op);
  LogicalResult rewriteStructured(Operation *op);
  /// Appends to `operands` the initial values of `loop` that are not in planned buffers, as memrefs
  /// that the loop owns.
  void appendInits(Operation *loop, unsigned numBounds, SmallVectorImpl<Value> &operands);
  void rewriteBlockArguments(Block &block);
  void rewriteYield(Operation *op);
  void rewriteReturn(func::ReturnOp op);
  void emitCopies(Operation *op);
  void release(ArrayRef<Value> values);

  bool isPlanned(Value tensor) const;
  bool isKept(Value value) const;
  Value createPlanned(Value tensor);
  Value createRowOffset(const RowWrite &row, Value offset);
  Value createAllocated(Value tensor, ValueRange dynamicSizes, std::optional<unsigned> result = {});
  Value createView(Type tensorType, Value base, Value offset, Value tensorOfSizes);
  Value allocateLike(Value source);
  Value castTo(Value memref, Type type);
  void emitCopy(Location loc, Value source, Value target, const Copy &copy);
  void countCopy(Location loc, const Copy &copy);
};

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_TRANSFORMS_BUFFERREWRITER_H
