//===- EntrySizes.h - sizes that are known when a program starts -*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_TRANSFORMS_ENTRYSIZES_H
#define DIALECTS_TE_TRANSFORMS_ENTRYSIZES_H

#include "dialects/te/Analysis/Signature.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::tssa::te {

/// Computes sizes at the start of a host program when they are functions of the
/// sizes of its arguments. Equal expressions are the same value. A dim that a
/// loop carries counts when every iteration hands it on unchanged.
class EntrySizes {
public:
  EntrySizes(func::FuncOp function, const EntrySymbols &symbols);

  /// Size of a dim of any tensor of the program, at the start; null if it is
  /// known only later.
  Value getDim(Value tensor, unsigned dim);
  /// The index value `value`, computed at the start; null if it cannot be.
  Value get(Value value);
  Value getConstant(int64_t value);
  /// An operation at the start, shared with equal ones.
  Value create(OperationName name, ValueRange operands, ArrayRef<NamedAttribute> attributes = {});
  template <typename Op> Value create(ValueRange operands) {
    return create(OperationName(Op::getOperationName(), builder.getContext()), operands);
  }
  /// Bytes of a tensor; null if one of its sizes is known only later.
  Value getBytes(Value tensor);

  /// Rebuilds `value`, made by this class, as a function of the symbols.
  Value cloneForSymbols(OpBuilder &target, Value value, ValueRange symbolValues,
                        DenseMap<Value, Value> &clones);
  OpBuilder &getBuilder() { return builder; }
  bool owns(Operation *op) const { return owned.contains(op); }
  /// Removes what was built and is not used, when arguments have become memrefs.
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
  /// Dims of loop-carried tensors that change from one iteration to the next.
  llvm::DenseSet<Dim> varying;

  Value getArgumentDim(unsigned argument, unsigned dim);
  Value computeDim(Value tensor, unsigned dim);
  Value computeBlockArgumentDim(BlockArgument argument, unsigned dim);
  Value insert(Operation *op);
  void findVaryingDims();
};

/// Number of bytes of one element in memory; i1 takes one.
int64_t getElementBytes(Type element);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_TRANSFORMS_ENTRYSIZES_H
