//===- Captures.h - values that a te op captures -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_IR_CAPTURES_H
#define DIALECTS_TE_IR_CAPTURES_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::tssa::te {

/// Adds to `captures` the values defined outside of `op` that `op` or an op in its regions uses, in
/// the order of their first use.
void collectCaptures(Operation *op, llvm::SetVector<Value> &captures);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_IR_CAPTURES_H
