//===- Spread.h - values per axis -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_OPERATORS_SPREAD_H
#define TSSA_LIB_OPERATORS_SPREAD_H

#include "tssa/Operators/Builder.h"

namespace tssa::operators {

/// One size per dim: `values[j]` for dim `axes[j]`, else that of `otherwise`, which has one
/// per dim. Axes may be negative, and known only when the program runs.
mlir::FailureOr<llvm::SmallVector<Size>> spreadByAxes(Builder &builder, llvm::ArrayRef<Size> axes,
                                                      llvm::ArrayRef<Size> values,
                                                      llvm::ArrayRef<Size> otherwise);

} // namespace tssa::operators

#endif // TSSA_LIB_OPERATORS_SPREAD_H
