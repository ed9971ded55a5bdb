//===- VerifyFaults.h - faults that verification must find -----*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A hook for tests: each fault changes a module after one stage as a bug of that
/// stage might, so that `--verify-each-stage` can be asked whether it notices.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_PIPELINE_VERIFYFAULTS_H
#define TSSA_PIPELINE_VERIFYFAULTS_H

#include "mlir/IR/BuiltinOps.h"

namespace tssa {

struct Fault {
  llvm::StringLiteral name;
  /// The stage after which it is made.
  llvm::StringLiteral stage;
  /// Changes the first place it finds; false if there is none.
  bool (*inject)(mlir::ModuleOp module);
};

/// Null for a name that no fault has.
const Fault *lookupFault(llvm::StringRef name);

} // namespace tssa

#endif // TSSA_PIPELINE_VERIFYFAULTS_H
