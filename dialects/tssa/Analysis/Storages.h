//===- Storages.h - which storage a ref is a view of -===//
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

/// Returns the root of `ref`, the value at the start of its chain of views: a `tssa.alloc`, an
/// argument of a function, or a ref that control flow carries.
Value getRoot(Value ref);

/// Returns the path from the root of `ref` to `ref`.
Path getPathFromRoot(Value ref);

/// Returns whether `root` is a storage: the result of a `tssa.alloc` or an argument of a function.
bool isStorage(Value root);

/// Returns the constant's name if `root` is a storage whose contents are a constant, else null.
StringAttr getConstantName(Value root);

/// Checks that control flow and views are the only ops of `function` that pass refs on, that no
/// write goes to a constant, and that each write goes through an injective path. Emits an error
/// and fails otherwise.
LogicalResult checkReferences(func::FuncOp function);

} // namespace mlir::tssa::refs

#endif // DIALECTS_TSSA_ANALYSIS_STORAGES_H
