//===- Routines.h - library routines that host code calls ------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_CONVERSION_HOSTTOLLVM_ROUTINES_H
#define LIB_CONVERSION_HOSTTOLLVM_ROUTINES_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace tssa {

/// Declares the routines of lib/Externs/Host.cpp as they are used, and holds the
/// texts of errors.
class Routines {
public:
  explicit Routines(mlir::ModuleOp module) : module(module) {}

  /// Calls `name`; the result is null when `result` is.
  mlir::Value call(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef name,
                   mlir::Type result, mlir::ValueRange operands);
  /// Address of routine `name`.
  mlir::Value getAddress(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef name,
                         mlir::LLVM::LLVMFunctionType type);
  /// Address of a zero-terminated constant.
  mlir::Value getText(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef text);

private:
  mlir::ModuleOp module;
  llvm::StringMap<mlir::LLVM::LLVMFuncOp> functions;
  llvm::StringMap<mlir::LLVM::GlobalOp> texts;
  mlir::LLVM::LLVMFuncOp declare(llvm::StringRef name, mlir::LLVM::LLVMFunctionType type);
};

} // namespace tssa

#endif // LIB_CONVERSION_HOSTTOLLVM_ROUTINES_H
