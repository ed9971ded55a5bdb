//===- NodeTable.h - names of the model's nodes ----------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_CONVERSION_HOSTTOLLVM_NODETABLE_H
#define LIB_CONVERSION_HOSTTOLLVM_NODETABLE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/MapVector.h"

namespace tssa {

/// Numbers the nodes that locations name, and the launches. A node is a NameLoc;
/// its operator is the metadata of a fused location around it, if it is a string.
class NodeTable {
public:
  /// `known` are the first nodes, as `getNodes` gives them; may be null.
  NodeTable(mlir::MLIRContext *context, mlir::ArrayAttr known);

  /// All nodes of a location, in order.
  mlir::SmallVector<int32_t> getNodes(mlir::Location loc);
  /// The first of them, or -1.
  int32_t getNode(mlir::Location loc);
  /// The number of a new launch. `extent` is the kernel's function of that name: where
  /// sizes are constants it knows the floating-point operations.
  int32_t addLaunch(mlir::StringAttr kernel, mlir::func::FuncOp extent, mlir::Location loc);

  /// `[["name", "operator"], ...]`.
  mlir::ArrayAttr getNodes() const;
  /// `[["kernel", array<i32: nodes>, flops], ...]`; flops that are not known are -1.
  mlir::ArrayAttr getLaunches() const;

private:
  mlir::MLIRContext *context;
  llvm::MapVector<mlir::Attribute, mlir::Attribute> operators; // by name
  llvm::DenseMap<mlir::Attribute, int32_t> numbers;
  mlir::SmallVector<mlir::Attribute> launches;
  void collect(mlir::Location loc, mlir::StringAttr op, mlir::SmallVectorImpl<int32_t> &found);
};

} // namespace tssa

#endif // LIB_CONVERSION_HOSTTOLLVM_NODETABLE_H
