//===- Boundary.h - refs in the signature of a function -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A function without refs takes and returns tensors. What a caller has to know of
/// the storages of its arguments stands in the ports of the results (#te.port): which one has the
/// new contents of an argument, and which one is a view of an argument's storage.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TSSA_TRANSFORMS_BOUNDARY_H
#define DIALECTS_TSSA_TRANSFORMS_BOUNDARY_H

#include "dialects/tssa/IR/TSSAOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::tssa::refs {

class Boundary {
public:
  /// Makes arguments that are refs tensors, each with a `tssa.alloc` of it at the entry
  /// that stands for the storage, and notes which of them are written.
  explicit Boundary(func::FuncOp function);

  /// Makes results that are refs tensors, adds what the caller has to know and gives
  /// the function its new type. `read` gives the value of a ref at the end.
  void close(OpBuilder &builder, function_ref<Value(Value ref)> read);

private:
  struct Returned {
    unsigned result, argument;
    ArrayAttr path;
    SmallVector<Value> indexes;
  };
  void findWritten();
  SmallVector<Returned> findReturned() const;

  func::FuncOp function;
  DenseMap<Value, unsigned> arguments;
  /// The storage of every argument that is written, by number.
  SmallVector<std::pair<unsigned, Value>> written;
};

} // namespace mlir::tssa::refs

#endif // DIALECTS_TSSA_TRANSFORMS_BOUNDARY_H
