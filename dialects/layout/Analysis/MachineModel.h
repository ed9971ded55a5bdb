//===- MachineModel.h - the machine parameters of the layout stage --------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_ANALYSIS_MACHINEMODEL_H
#define DIALECTS_LAYOUT_ANALYSIS_MACHINEMODEL_H

#include <cstdint>

namespace mlir::tssa::layout {

/// The machine parameters that the layout stage uses.
struct MachineModel {
  int64_t lanes = 16;           ///< f32 lanes of a vector register
  int64_t registers = 32;       ///< vector registers
  int64_t fmaPorts = 2;         ///< multiply-adds of vectors that start in a cycle
  int64_t loadPorts = 2;        ///< loads of vectors that start in a cycle
  int64_t cacheWays = 8;        ///< ways of the first-level data cache
  int64_t cacheWayBytes = 4096; ///< bytes of one way; addresses at this distance share a set
  int64_t cacheLine = 64;       ///< bytes of one line
};

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_ANALYSIS_MACHINEMODEL_H
