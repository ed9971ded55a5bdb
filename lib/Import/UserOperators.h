//===- UserOperators.h - operators that users define ------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_IMPORT_USEROPERATORS_H
#define TSSA_LIB_IMPORT_USEROPERATORS_H

#include "dialects/te/IR/TEOps.h"
#include "lib/Import/Failure.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "onnx/onnx_pb.h"
#include "tssa/Builder/Builder.h"
#include "tssa/Import/ForeignObject.h"
#include "tssa/Operators/Node.h"

namespace tssa {

/// The operators of --operators: functions whose names are a domain and an operator, such as
/// `@"com.acme::Scale"`. The arguments are the node's inputs, tensors, and then scalars, which are
/// attributes of the node by the names of their ports. The body has expressions of te, constants,
/// sizes, and calls of routines (te.extern) that foreign objects define. A node becomes the body
/// for the types of its inputs, so that it is merged and scheduled as all others.
class UserOperators {
public:
  /// `module` may be null; it and the objects must outlive this object.
  UserOperators(mlir::ModuleOp module, llvm::ArrayRef<ForeignObject> objects)
      : module(module), objects(objects) {}

  /// Checks what can be checked without a node.
  mlir::LogicalResult check(ImportReport &report) const;
  /// Returns the function of an operator, or null.
  mlir::func::FuncOp find(const tssa_onnx::NodeProto &node) const;
  /// Builds a node. The inputs must have the element types and ranks of the arguments, and their
  /// static sizes.
  mlir::FailureOr<operators::Tensors> build(mlir::func::FuncOp function,
                                            operators::Builder &builder,
                                            const operators::Node &node) const;

private:
  mlir::ModuleOp module;
  llvm::ArrayRef<ForeignObject> objects;

  std::string findProblem(mlir::func::FuncOp function) const;
  std::string findProblem(mlir::tssa::te::ExternOp call) const;
};

} // namespace tssa

#endif // TSSA_LIB_IMPORT_USEROPERATORS_H
