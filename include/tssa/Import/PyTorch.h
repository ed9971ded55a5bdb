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

/// Reads a graph that the Python package has written (lib/Import/PyTorch/README.md has
/// the format) and builds a module with one function `@main`: references, views and writes
/// of `tssa`, te ops and scf. Null on failure; then `report` says why, with a line per
/// operator that is not supported. The module refers to the bytes of files with constants
/// without copying them: they live as long as the context. Of `untrusted` programs these are
/// limited as those of models are.
mlir::OwningOpRef<mlir::ModuleOp> importPyTorch(mlir::MLIRContext &context, llvm::StringRef path,
                                                bool untrusted, ImportReport &report);

/// The operators that the importer knows, by the names of their functional forms with
/// overloads ("aten::add.Tensor"), sorted. In-place and out= forms come with them.
std::vector<std::string> getPyTorchOperators();

/// What the message of a check begins with that holds a choice the example's sizes made: a
/// call that fails it needs a binary of its own.
constexpr llvm::StringLiteral torchGuardPrefix = "guard: ";

} // namespace tssa

#endif // TSSA_IMPORT_PYTORCH_H
