//===- OutlineKernel.h - a kernel from expressions of the host program -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_IR_OUTLINEKERNEL_H
#define DIALECTS_TE_IR_OUTLINEKERNEL_H

#include "dialects/te/IR/TEOps.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::tssa::te {

/// Moves `group`, labelled expressions of one block in program order, into a new kernel of the
/// module, and replaces them by a launch. The values that the group captures become the parameters,
/// in the order that `te.kernel` requires; scalar constants are cloned into the kernel. The results
/// are those of the ops that have a user outside of the group. The name is made unique.
LaunchOp outlineKernel(SymbolTable &symbols, ArrayRef<Operation *> group, StringRef name);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_IR_OUTLINEKERNEL_H
