//===- BoxRules.h - how large boxes are -------------------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The sizes by which the partition decides whether expressions are computed in boxes, and by which
/// schedules choose the boxes.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_IR_BOXRULES_H
#define DIALECTS_TE_IR_BOXRULES_H

#include <cstdint>

namespace mlir::tssa::te {

/// The most rows of a box, and the fewest boxes that threads share evenly enough.
inline constexpr int64_t rowsOfBox = 32, leastBoxes = 16;

/// The most bytes of the boxes of a kernel that stay in the cache of a core beside operands.
inline constexpr int64_t bytesOfBoxes = 256 << 10;

/// The most keys of attention that are taken at a time.
inline constexpr int64_t keysOfBlock = 1024;

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_IR_BOXRULES_H
