//===- NodeTable.h - names of the model's nodes ----------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_CONVERSION_HOSTTOLLVM_NODETABLE_H
#define LIB_CONVERSION_HOSTTOLLVM_NODETABLE_H

#include "dialects/te/IR/Program.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/MapVector.h"

namespace tssa {

/// Numbers the nodes that locations name, and the launches. A node is a NameLoc;
/// its operator is the metadata of a fused location around it, if it is a string.
class NodeTable {
public:
  /// `known` are the first nodes.
  explicit NodeTable(mlir::ArrayRef<mlir::tssa::te::NodeAttr> known);

  /// All nodes of a location, in order.
  mlir::SmallVector<int32_t> getNodes(mlir::Location loc);
  /// The first of them, or -1.
  int32_t getNode(mlir::Location loc);
  /// The number of a new launch. `extent` is the kernel's function of that name: where
  /// sizes are constants it knows the floating-point operations.
  int32_t addLaunch(mlir::StringAttr kernel, mlir::func::FuncOp extent, mlir::Location loc);

  mlir::SmallVector<mlir::tssa::te::NodeAttr> getNodes() const;
  mlir::ArrayRef<mlir::tssa::te::LaunchRecordAttr> getLaunches() const { return launches; }

private:
  llvm::MapVector<mlir::StringAttr, mlir::StringAttr> operators; // by name
  llvm::DenseMap<mlir::StringAttr, int32_t> numbers;
  mlir::SmallVector<mlir::tssa::te::LaunchRecordAttr> launches;
  void collect(mlir::Location loc, mlir::StringAttr op, mlir::SmallVectorImpl<int32_t> &found);
};

} // namespace tssa

#endif // LIB_CONVERSION_HOSTTOLLVM_NODETABLE_H
