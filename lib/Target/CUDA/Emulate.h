//===- Emulate.h - kernels for the emulator --------------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_TARGET_CUDA_EMULATE_H
#define TSSA_LIB_TARGET_CUDA_EMULATE_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "tssa/emulator.h"
#include "llvm/ADT/StringMap.h"

namespace tssa::cuda {

/// The sites of a kernel: the operations that call the emulator, as the kernel's table lists them.
class EmulationSites {
public:
  int32_t add(mlir::Location loc, tssa_emulator_site site);

  /// Defines `@<kernel>.emulated`, a tssa_emulated_kernel for the function `run`, and the tables to
  /// which this structure points.
  void define(mlir::OpBuilder &builder, mlir::LLVM::LLVMFuncOp run, llvm::StringRef kernel,
              tssa_emulated_kernel fields) const;

private:
  llvm::SmallVector<tssa_emulator_site> sites;
  std::string texts = std::string(1, '\0');
  llvm::StringMap<int32_t> offsets;
};

/// Rewrites the ops of one kernel, whose first argument is the emulator.
class KernelEmulation {
public:
  /// `parameters` are the values of the kernel's parameters.
  KernelEmulation(mlir::LLVM::LLVMFuncOp kernel, mlir::ValueRange parameters,
                  EmulationSites &sites);

  /// Replaces ops that do not exist on the host's processor by calls of the emulator. Fails on ops
  /// that have no emulation.
  mlir::LogicalResult run();

private:
  mlir::LLVM::LLVMFuncOp kernel;
  EmulationSites &sites;
  mlir::OpBuilder builder;
  mlir::DataLayout layout;
  llvm::DenseMap<mlir::Value, int32_t> parameters;
  mlir::Value fragments; ///< null until an op needs it

  /// The memory that a pointer refers to, as far as it is known.
  struct Origin {
    enum Kind { Global, Shared, Private, Constant, Unknown };
    Kind kind = Unknown;
    int32_t parameter = -1; ///< number of the parameter that the pointer comes from, or -1
  };
  Origin findOrigin(mlir::Value pointer) const;

  mlir::LogicalResult rewrite(mlir::Operation *op);
  mlir::LogicalResult rewriteMemory(mlir::Operation *op);
  mlir::LogicalResult rewriteThreads(mlir::Operation *op);
  mlir::LogicalResult rewriteTensorCores(mlir::Operation *op);
  mlir::LogicalResult checkAccess(mlir::Operation *op, mlir::Value address, mlir::Type type,
                                  std::optional<uint64_t> alignment,
                                  tssa_emulator_operation operation);
  void checkRange(mlir::Operation *op, mlir::Value address, mlir::Value bytes,
                  tssa_emulator_operation operation);
  void checkDivision(mlir::Operation *op);
  mlir::Value makeRegister(mlir::Operation *op);
  void rewriteCopy(mlir::Operation *op);
  mlir::LogicalResult rewriteMatrixLoad(mlir::Operation *op);
  mlir::LogicalResult rewriteMatrixProduct(mlir::Operation *op);
  /// The thread's memory for its fragments of matrices, and one of its words.
  mlir::Value getFragments(mlir::Location loc);
  mlir::Value getWord(mlir::Location loc, unsigned index);

  int32_t addSite(mlir::Operation *op, tssa_emulator_operation operation);
  mlir::Value getConstant(mlir::Location loc, mlir::Type type, int64_t value);
  /// Loads a field of the thread's tssa_emulator.
  mlir::Value loadField(mlir::Location loc, mlir::Type type, size_t offset);
  /// Calls the function whose address is in the emulator's field at `offset`. The arguments are the
  /// emulator, `operands` and the number of a site.
  mlir::Value call(mlir::Location loc, size_t offset, mlir::Type result, mlir::ValueRange operands,
                   int32_t site);
};

} // namespace tssa::cuda

#endif // TSSA_LIB_TARGET_CUDA_EMULATE_H
