//===- EntrySizes.h - sizes that are known when a program starts -*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_TRANSFORMS_ENTRYSIZES_H
#define DIALECTS_TE_TRANSFORMS_ENTRYSIZES_H

#include "dialects/te/Analysis/Signature.h"
#include "dialects/te/IR/ElementBytes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::tssa::te {

/// Computes sizes at the start of a host program if they are functions of the sizes of its
/// arguments. Equal expressions become one value. The size of a dim of a loop-carried tensor is
/// known if no iteration changes it.
class EntrySizes {
public:
  EntrySizes(func::FuncOp function, const EntrySymbols &symbols);

  /// Returns the size of a dim of any tensor of the program as a value at the start, or null if the
  /// size is not known there.
  Value getDim(Value tensor, unsigned dim);
  /// Returns the value at the start that equals `value`, which has type index. Returns null if it
  /// cannot be computed there.
  Value get(Value value);
  Value getConstant(int64_t value);
  /// Creates an operation at the start, or reuses an equal one.
  Value create(OperationName name, ValueRange operands, ArrayRef<NamedAttribute> attributes = {});
  template <typename Op> Value create(ValueRange operands) {
    return create(OperationName(Op::getOperationName(), builder.getContext()), operands);
  }
  /// Returns the size of `tensor` in bytes, or null if one of its sizes is not known at the start.
  Value getBytes(Value tensor);

  /// Rebuilds `value`, which this class has computed, as a function of the symbols.
  Value cloneForSymbols(OpBuilder &target, Value value, ValueRange symbolValues,
                        DenseMap<Value, Value> &clones);
  OpBuilder &getBuilder() { return builder; }
  bool owns(Operation *op) const { return owned.contains(op); }
  /// Erases operations of this class that have no use, and makes the others read sizes from
  /// memrefs. Must be called after the arguments have become memrefs.
  void finish();

private:
  using Dim = std::pair<Value, unsigned>;
  struct Equal : llvm::DenseMapInfo<Operation *> {
    static unsigned getHashValue(const Operation *op);
    static bool isEqual(const Operation *lhs, const Operation *rhs);
  };

  func::FuncOp function;
  const EntrySymbols &symbols;
  OpBuilder builder;
  DenseSet<Operation *, Equal> known;
  SmallVector<Operation *> created;
  DenseSet<Operation *> owned;
  DenseMap<Value, Value> values;
  llvm::DenseMap<Dim, Value> dims;
  /// The dims of loop-carried tensors whose sizes may change between iterations.
  llvm::DenseSet<Dim> varying;

  Value getArgumentDim(unsigned argument, unsigned dim);
  Value computeDim(Value tensor, unsigned dim);
  Value computeBlockArgumentDim(BlockArgument argument, unsigned dim);
  Value insert(Operation *op);
  void findVaryingDims();
};

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_TRANSFORMS_ENTRYSIZES_H
