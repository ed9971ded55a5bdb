//===- ResultStore.h - whether another order of results pays for their readers -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_TRANSFORMS_RESULTSTORE_H
#define DIALECTS_LAYOUT_TRANSFORMS_RESULTSTORE_H

#include "dialects/layout/Transforms/StoreCosts.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::tssa::layout {

/// Chooses the orders of the results of a launch, given those of its operands.
using ChooseResults = function_ref<void(te::LaunchOp, te::KernelOp, LaunchStores &)>;

/// Returns whether the result of `launch`, which has one, should have the order that it has in
/// `stored`, and not that in `asIs`. The times of `kernel` and of all readers are predicted, whose
/// results have the orders that `chooseResults` chooses, and the shorter sum decides. If a time is
/// not known, the answer is yes. All users must be launches of kernels that read elements.
bool paysForReaders(te::LaunchOp launch, te::KernelOp kernel, const LaunchStores &asIs,
                    const LaunchStores &stored, const SymbolTable &symbols, StoreCosts &costs,
                    ChooseResults chooseResults);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TRANSFORMS_RESULTSTORE_H
