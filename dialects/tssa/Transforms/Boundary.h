//===- Boundary.h - refs in the signature of a function -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A function without refs takes and returns tensors. The ports of its results (#te.port) tell the
/// caller what happens to the storages of its arguments: which result has the new contents of an
/// argument, and which result is a view of an argument's storage.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TSSA_TRANSFORMS_BOUNDARY_H
#define DIALECTS_TSSA_TRANSFORMS_BOUNDARY_H

#include "dialects/tssa/IR/TSSAOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::tssa::refs {

/// Converts the refs in the signature of a function to tensors.
class Boundary {
public:
  /// Turns each argument that is a ref into a tensor, with a `tssa.alloc` of this tensor at the
  /// entry as its storage, and records which of these storages are written.
  explicit Boundary(func::FuncOp function);

  /// Turns each result that is a ref into a tensor, appends the new contents of written arguments
  /// and the indexes of returned views as results, sets the ports, and updates the type of the
  /// function. `read` returns the value that a ref has at the end.
  void close(OpBuilder &builder, function_ref<Value(Value ref)> read);

private:
  /// A result that is a view of an argument, with the path and its index operands.
  struct Returned {
    unsigned result, argument;
    ArrayAttr path;
    SmallVector<Value> indexes;
  };
  void findWritten();
  SmallVector<Returned> findReturned() const;

  func::FuncOp function;
  DenseMap<Value, unsigned> arguments;
  /// The index and the storage of each argument that is written, in the order of arguments.
  SmallVector<std::pair<unsigned, Value>> written;
};

} // namespace mlir::tssa::refs

#endif // DIALECTS_TSSA_TRANSFORMS_BOUNDARY_H
