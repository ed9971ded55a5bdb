//===- NodeTable.h - names of the model's nodes ----------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_CONVERSION_HOSTTOLLVM_NODETABLE_H
#define LIB_CONVERSION_HOSTTOLLVM_NODETABLE_H

#include "dialects/te/IR/Program.h"
#include "dialects/te/IR/TEOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/MapVector.h"

namespace tssa {

/// Numbers the launches, and the nodes that locations name. A NameLoc names a node. If a fused
/// location around it has a string as metadata, the string is the operator of the node.
class NodeTable {
public:
  /// The nodes in `known` become the first nodes of the table.
  explicit NodeTable(mlir::ArrayRef<mlir::tssa::te::NodeAttr> known);

  /// Returns the numbers of all nodes that `loc` names, in order.
  mlir::SmallVector<int32_t> getNodes(mlir::Location loc);
  /// Returns the number of the first node that `loc` names, or -1 if it names no node.
  int32_t getNode(mlir::Location loc);
  /// Gives the launches of a host program their numbers, in the order of the program.
  void numberLaunches(mlir::func::FuncOp main);
  /// Returns the number of a launch, which has got one. `extent` is the function
  /// `@<kernel>.extent`: if the floating-point operations of the kernel can be counted, it returns
  /// their number.
  int32_t describeLaunch(mlir::tssa::te::LaunchOp launch, mlir::func::FuncOp extent);

  mlir::SmallVector<mlir::tssa::te::NodeAttr> getNodes() const;
  mlir::ArrayRef<mlir::tssa::te::LaunchRecordAttr> getLaunches() const { return launches; }

private:
  llvm::MapVector<mlir::StringAttr, mlir::StringAttr> operators; // by name
  llvm::DenseMap<mlir::StringAttr, int32_t> numbers;
  mlir::SmallVector<mlir::tssa::te::LaunchRecordAttr> launches;
  llvm::DenseMap<mlir::Operation *, int32_t> launchNumbers;
  void collect(mlir::Location loc, mlir::StringAttr op, mlir::SmallVectorImpl<int32_t> &found);
};

} // namespace tssa

#endif // LIB_CONVERSION_HOSTTOLLVM_NODETABLE_H
