//===- Parts.h - a program in parts that are compiled apart -----*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_TARGET_CPU_PARTS_H
#define LIB_TARGET_CPU_PARTS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/SetVector.h"

namespace tssa::cpu {

/// A part of a program in the LLVM dialect: the host program, or a function of which the program
/// takes the address (a kernel), with what this function calls.
struct Part {
  /// The function whose address is taken; null for the host program.
  mlir::LLVM::LLVMFuncOp entry;
  /// What the part defines. A private constant is in every part that uses it.
  llvm::SetVector<mlir::Operation *> defined;
  /// What the part uses of other parts, or what the program declares only.
  llvm::SetVector<mlir::Operation *> declared;
  /// What the part defines and another part uses.
  llvm::SetVector<mlir::Operation *> shared;

  /// Returns a module of copies, in which what is shared has external linkage. May run in parallel
  /// with other copies of the same program.
  mlir::OwningOpRef<mlir::ModuleOp> clone() const;
};

/// Splits the program, whose functions and globals are in the LLVM dialect. The first part is the
/// host program; it defines what is not of one kernel alone, and declares all that the program
/// only declares. The others are in the order of the module. The split depends on the program
/// only, not on the number of threads.
std::vector<Part> splitProgram(mlir::ModuleOp module);

} // namespace tssa::cpu

#endif // LIB_TARGET_CPU_PARTS_H
