//===- BufferProgram.h - variables that need memory, and live ranges -----===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The host program as `te-plan-buffers` sees it: *variables* that hold tensors, their live ranges,
/// and the *copies* between variables. A copy is elided if both variables share a buffer.
///
/// Time: operations are numbered in program order, and the end of an operation with regions has a
/// number too. Operation k has the times 4k to 4k+3. It reads its operands until 4k+3, and its
/// results are live from 4k+2, so that a result shares no memory with an operand. Copies read and
/// write at 4k+1, so that the source of a copy may share memory with its target. A value that is
/// defined outside of a loop and read in it is live until the loop ends. A value that is defined
/// outside of a branch and read in it is live before the branch and in it, but not in the other
/// branch: there and afterwards its buffer may be written, unless something else reads the value.
///
/// There is a copy where a tensor enters a loop, is passed to the next iteration, leaves a branch,
/// is returned, or is the base of an update.
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
  ArrayRef<Interval> getIntervals() const { return intervals; }

private:
  SmallVector<Interval, 2> intervals;
};

/// One or more tensors of the program that have the same memory by construction.
struct Variable {
  enum Kind {
    ReadOnly, ///< an argument that is not written back, or a constant
    Planned,  ///< in the arena or a result: its size is known when the program starts
    Allocated ///< allocated during the run: its size is known only later
  };
  Kind kind;
  /// The tensors that the variable holds, such as the argument and the result for a loop-carried
  /// tensor.
  SmallVector<Value, 1> values;
  LiveRange live;
  /// The index of the program result whose buffer the variable has, or -1.
  int result = -1;
};

/// A transfer of a tensor from one variable to another.
struct Copy {
  enum Kind { Init, Yield, Return, Update };
  Kind kind;
  Operation *at;
  unsigned number; ///< the position of the tensor among the tensors that are copied at `at`
  Value value;     ///< what is copied
  unsigned source, target;
  unsigned time;
  unsigned depth; ///< number of loops around the copy
};

/// If result `result` is written to the buffer of an argument, returns this argument: `writes_back`
/// or `alias_of` of the port of the result.
std::optional<unsigned> getWrittenBack(func::FuncOp function, unsigned result);

/// Says that a result of a kernel is an update of one of the kernel's parameters.
struct UpdateTie {
  unsigned parameter;
  /// Whether the body of the update contains all reads of the parameter, and each point reads only
  /// the element that it writes.
  bool onlyUse;
};

/// Replaces selects between tensors by scf.if, whose result has a buffer of its own.
void expandSelects(func::FuncOp function);

/// Checks that each launch refers to a te.kernel, not to a function, because the body of the kernel
/// decides how the buffers of its results are placed.
LogicalResult checkLaunches(func::FuncOp function, SymbolTableCollection &tables);

/// The variables and copies of a host program. It must have no selects between tensors.
class BufferProgram {
public:
  BufferProgram(func::FuncOp function, EntrySizes &sizes, SymbolTableCollection &symbols)
      : function(function), sizes(sizes), symbols(symbols) {}

  /// Collects all variables and copies. If buffers cannot be planned for an operation on tensors,
  /// emits an error and fails.
  LogicalResult build();

  /// Returns the time at which `op` begins.
  unsigned getTime(Operation *op) const { return begins.lookup(op); }
  unsigned getVariable(Value value) const { return variableOf.lookup(value); }
  ArrayRef<Variable> getVariables() const { return variables; }
  ArrayRef<Copy> getCopies() const { return copies; }
  /// Returns the copy of tensor `number` at the op `at`, or null if there is none.
  const Copy *lookupCopy(Operation *at, unsigned number) const;
  /// If result `result` of the kernel of `launch` is an update of a parameter, returns this
  /// parameter.
  std::optional<UpdateTie> getUpdate(LaunchOp launch, unsigned result);
  /// Returns the variable of result `number` of the program if its size is known at the start.
  std::optional<unsigned> getResultVariable(unsigned number) const { return results[number]; }
  /// Returns all uses of the values of a variable.
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
  unsigned getBegin(Block *block) const;
  unsigned getDefinition(Value value) const;
};

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_TRANSFORMS_BUFFERPROGRAM_H
