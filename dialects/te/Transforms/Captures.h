//===- Captures.h - what a te op uses from outside -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_TRANSFORMS_CAPTURES_H
#define DIALECTS_TE_TRANSFORMS_CAPTURES_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::tssa::te {

/// Adds the values from outside of `op` that it or an op in its regions uses, in
/// the order of first use.
void collectCaptures(Operation *op, llvm::SetVector<Value> &captures);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_TRANSFORMS_CAPTURES_H
