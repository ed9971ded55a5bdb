//===- KernelLaunch.h - the launch that is measured -------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_TUNER_KERNELLAUNCH_H
#define LIB_TUNER_KERNELLAUNCH_H

#include "dialects/te/IR/TEOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tssa/Reference/HostValue.h"

namespace tssa::tuner {

/// The only launch of a kernel in a module after stage layout.
struct KernelLaunch {
  mlir::tssa::te::KernelOp kernel;
  mlir::tssa::te::LaunchOp launch;
  mlir::func::FuncOp main;

  /// Fails if the module has no such kernel, or does not launch it once, in the block of @main.
  static llvm::Expected<KernelLaunch> find(mlir::ModuleOp module, llvm::StringRef kernel);
};

struct LaunchOperand {
  /// Whether the operand is a te.constant, whose layout is the candidate's.
  bool isConstant = false;
  /// A number, a constant on bytes of the module, or a tensor that has no bytes yet.
  reference::HostValue value;
};

/// A module whose kernel may be measured alone, as far as that is seen without running it.
struct Candidate {
  KernelLaunch launch;
  std::vector<LaunchOperand> operands;
  /// The results, without bytes.
  std::vector<reference::HostTensor> results;

  /// Fails if the module has no single launch of `kernel`, if a size or a number of the launch is
  /// not known before the run, and, with std::errc::not_enough_memory, if the tensors of @main have
  /// more than `memoryLimit` bytes at 8 bytes for each element.
  static llvm::Expected<Candidate> read(mlir::ModuleOp module, llvm::StringRef kernel,
                                        uint64_t memoryLimit);

  /// Gives the operands that @main computes the values that they have if it runs on random inputs,
  /// which are made from `seed`.
  llvm::Error evaluateOperands(uint64_t seed);
  /// Gives the operands that @main computes the values of those of `other`. Fails if operands or
  /// results do not have the same types, except for constants, or not the same numbers.
  llvm::Error takeOperands(const Candidate &other);
};

} // namespace tssa::tuner

#endif // LIB_TUNER_KERNELLAUNCH_H
