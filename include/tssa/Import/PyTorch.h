//===- PyTorch.h - recorded programs to tssa and te -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_IMPORT_PYTORCH_H
#define TSSA_IMPORT_PYTORCH_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "tssa/Import/Report.h"

namespace tssa {

/// Reads a graph that the Python package has written (lib/Import/PyTorch/README.md
/// describes the format) and builds a module with one function `@main` of `tssa`, te and scf ops.
/// Returns null on failure; then `report` says why, with one line per operator that is not
/// supported. The module refers to the bytes of constant files without copying them; these files
/// stay mapped as long as the context lives. If `untrusted` is true, their sizes have the same
/// limits as those of an untrusted ONNX model.
mlir::OwningOpRef<mlir::ModuleOp> importPyTorch(mlir::MLIRContext &context, llvm::StringRef path,
                                                bool untrusted, ImportReport &report);

/// Returns the operators that the importer supports, sorted: the names of their functional
/// forms with overloads, such as "aten::add.Tensor". The in-place and out= forms of each
/// are supported too.
std::vector<std::string> getPyTorchOperators();

/// The prefix of the message of a guard, a run-time check that the recording's assumptions
/// about sizes hold. A call that fails a guard needs a new recording and artifact.
constexpr llvm::StringLiteral torchGuardPrefix = "guard: ";

} // namespace tssa

#endif // TSSA_IMPORT_PYTORCH_H
