//===- Storages.h - which storage a ref is a window on -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TSSA_ANALYSIS_STORAGES_H
#define DIALECTS_TSSA_ANALYSIS_STORAGES_H

#include "dialects/tssa/IR/TSSAOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::tssa::refs {

/// The value that a ref is a view of, through all views: a `tssa.alloc`, an argument
/// of a function, or a name that control flow carries.
Value getRoot(Value ref);

/// The path from the root to a ref.
Path getPathFromRoot(Value ref);

/// Whether a root is a storage: made by `tssa.alloc` or given by a caller.
bool isStorage(Value root);

/// The name of a storage whose contents are a constant; null for others.
StringAttr getConstantName(Value root);

/// Whether every ref of `function` is a window on one known storage, every write one to
/// different elements of a storage that is no constant, and refs stand in control flow only that
/// the passes of this dialect see through; else an error.
LogicalResult checkReferences(func::FuncOp function);

} // namespace mlir::tssa::refs

#endif // DIALECTS_TSSA_ANALYSIS_STORAGES_H
