//===- Zeros.h - the zeros that stand for what lies outside of a tensor -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_IR_ZEROS_H
#define DIALECTS_LAYOUT_IR_ZEROS_H

#include <cstdint>

namespace mlir::tssa::layout {

/// Number of elements of the array of zeros that a guarded read may read instead of a tensor. Loops
/// whose reads move by less choose the memory before they begin.
inline constexpr int64_t numZeros = 4096;

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_IR_ZEROS_H
