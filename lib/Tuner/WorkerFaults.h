//===- WorkerFaults.h - faults that the gate must find ----------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_TUNER_WORKERFAULTS_H
#define LIB_TUNER_WORKERFAULTS_H

#include "mlir/IR/BuiltinOps.h"

namespace tssa::tuner {

/// A fault of a candidate. Tests inject it into all candidates but the default, and see that none
/// of them becomes a record.
struct CandidateFault {
  llvm::StringRef name;
  /// Changes the module at the end of stage layout; may be null.
  bool (*change)(mlir::ModuleOp module) = nullptr;
  /// Changes the kernel at the end of stage loops; may be null.
  bool (*changeLoops)(mlir::ModuleOp module) = nullptr;
};

/// Returns the fault of this name, or null: those of the pipeline's verification (VerifyFaults.h)
/// that concern a kernel, and those that only a process of its own survives.
const CandidateFault *lookupCandidateFault(llvm::StringRef name);

} // namespace tssa::tuner

#endif // LIB_TUNER_WORKERFAULTS_H
