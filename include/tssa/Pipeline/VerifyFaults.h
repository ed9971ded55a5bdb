//===- VerifyFaults.h - faults that verification must find -----*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A hook for tests. Each fault changes a module after one stage as a bug in that stage might, so
/// that tests can check that `--verify-each-stage` finds it.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_PIPELINE_VERIFYFAULTS_H
#define TSSA_PIPELINE_VERIFYFAULTS_H

#include "mlir/IR/BuiltinOps.h"

namespace tssa {

struct Fault {
  llvm::StringLiteral name;
  /// The stage after which the fault is injected.
  llvm::StringLiteral stage;
  /// Injects the fault where it first applies. Returns false if it applies nowhere.
  bool (*inject)(mlir::ModuleOp module);
};

/// Returns the fault of this name, or null.
const Fault *lookupFault(llvm::StringRef name);

} // namespace tssa

#endif // TSSA_PIPELINE_VERIFYFAULTS_H
