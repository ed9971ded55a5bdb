//===- MachineModel.h - what stage layout knows of the machine ------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_ANALYSIS_MACHINEMODEL_H
#define DIALECTS_LAYOUT_ANALYSIS_MACHINEMODEL_H

#include <cstdint>

namespace mlir::tssa::layout {

/// What stage layout needs to know of the machine.
struct MachineModel {
  int64_t lanes = 16;     ///< f32 lanes of a vector register
  int64_t registers = 32; ///< vector registers
};

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_ANALYSIS_MACHINEMODEL_H
