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

/// Declares routines of lib/Externs/Host.cpp on their first use, and holds the texts of error
/// messages.
class Routines {
public:
  explicit Routines(mlir::ModuleOp module) : module(module) {}

  /// Builds a call of `name` and returns its result. If the type `result` is null, the routine has
  /// no result, and this function returns null.
  mlir::Value call(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef name,
                   mlir::Type result, mlir::ValueRange operands);
  /// Builds the address of routine `name`.
  mlir::Value getAddress(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef name,
                         mlir::LLVM::LLVMFunctionType type);
  /// Builds the address of `text` as a zero-terminated constant.
  mlir::Value getText(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef text);

private:
  mlir::ModuleOp module;
  llvm::StringMap<mlir::LLVM::LLVMFuncOp> functions;
  llvm::StringMap<mlir::LLVM::GlobalOp> texts;
  mlir::LLVM::LLVMFuncOp declare(llvm::StringRef name, mlir::LLVM::LLVMFunctionType type);
};

} // namespace tssa

#endif // LIB_CONVERSION_HOSTTOLLVM_ROUTINES_H
