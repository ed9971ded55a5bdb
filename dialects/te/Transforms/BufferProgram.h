//===- BufferProgram.h - what needs memory, and when -----------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The host program as `te-plan-buffers` sees it: *variables* that hold tensors,
/// the times at which each holds a value that is still needed, and the *copies*
/// between variables that become nothing when both share a buffer.
///
/// Time. Operations are numbered in order of text, the end of an operation with
/// regions too; operation k has the times 4k to 4k+3. Operands are read until
/// 4k+3, results are there from 4k+2, and copies read and write at 4k+1: so a
/// result shares no memory with an operand, and a copy's source may share it with
/// its target. A value that is read in a loop but defined outside of it is needed
/// until the loop ends.
///
/// Copies stand where a tensor enters a loop, is handed to the next iteration,
/// leaves a branch, is returned, or is the base of an update.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_TRANSFORMS_BUFFERPROGRAM_H
#define DIALECTS_TE_TRANSFORMS_BUFFERPROGRAM_H

#include "dialects/te/IR/TEOps.h"
#include "dialects/te/Transforms/EntrySizes.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::tssa::te {

/// A set of times, as sorted disjoint half-open intervals.
class LiveRange {
public:
  using Interval = std::pair<unsigned, unsigned>;
  void add(unsigned begin, unsigned end);
  void add(const LiveRange &other);
  bool overlaps(const LiveRange &other) const;

private:
  SmallVector<Interval, 2> intervals;
};

struct Variable {
  enum Kind {
    ReadOnly, ///< an argument that is not written back, or a constant
    Planned,  ///< of a size that is known when the program starts
    Grown     ///< of a size that is known only later
  };
  Kind kind;
  /// The tensors it holds; all carried forms of one loop-carried value.
  SmallVector<Value, 1> values;
  LiveRange live;
  /// Number of the result whose storage it is, or -1.
  int result = -1;
};

struct Copy {
  enum Kind { Init, Yield, Return, Update };
  Kind kind;
  Operation *at;
  unsigned number; ///< of the tensor among those copied at `at`
  Value value;     ///< what is copied
  unsigned source, target;
  unsigned time;
  unsigned depth; ///< how many loops it stands in
};

/// The argument whose storage result `result` is left in, which `tssa.writes_back` or
/// `tssa.alias_of` says.
std::optional<unsigned> getWrittenBack(func::FuncOp function, unsigned result);

/// Result `result` of a kernel is an update of parameter `parameter`.
struct UpdateTie {
  unsigned parameter;
  /// Nothing else in the kernel reads the parameter, but for elements in their own place.
  bool onlyUse;
};

class BufferProgram {
public:
  BufferProgram(func::FuncOp function, EntrySizes &sizes, SymbolTableCollection &symbols)
      : function(function), sizes(sizes), symbols(symbols) {}

  /// Fails, with an error, at operations on tensors that have no place.
  LogicalResult build();

  unsigned getVariable(Value value) const { return variableOf.lookup(value); }
  ArrayRef<Variable> getVariables() const { return variables; }
  ArrayRef<Copy> getCopies() const { return copies; }
  /// The copy of tensor `number` at `at`; null when there is none.
  const Copy *lookupCopy(Operation *at, unsigned number) const;
  std::optional<UpdateTie> getUpdate(LaunchOp launch, unsigned result);
  /// Variable of result `number` when its size is known at the start.
  std::optional<unsigned> getResultVariable(unsigned number) const { return results[number]; }
  /// All uses of a variable's values.
  SmallVector<OpOperand *> getUses(unsigned variable) const;

private:
  func::FuncOp function;
  EntrySizes &sizes;
  SymbolTableCollection &symbols;
  SmallVector<Variable> variables;
  SmallVector<Copy> copies;
  SmallVector<std::optional<unsigned>> results;
  DenseMap<std::pair<Operation *, unsigned>, unsigned> copyAt;
  DenseMap<Value, unsigned> variableOf;
  DenseMap<Operation *, unsigned> begins, ends;

  void number(Operation *op, unsigned &next);
  LogicalResult visitBlock(Block &block);
  LogicalResult visit(Operation *op);
  void visitLoop(Operation *op);
  void visitLaunch(LaunchOp launch);
  void visitReturn(func::ReturnOp op);
  Variable::Kind getKind(Value value);
  unsigned addVariable(Variable::Kind kind, ValueRange values);
  unsigned addValue(Value value);
  void addCarried(Value argument, Value result);
  void addCopy(Copy::Kind kind, Operation *at, unsigned number, Value value, unsigned target,
               unsigned targetEnd);
  void addUses();
  void addUse(Value value, Operation *user, unsigned time);
  unsigned getDefinition(Value value) const;
};

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_TRANSFORMS_BUFFERPROGRAM_H
