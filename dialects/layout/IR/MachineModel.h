//===- MachineModel.h - the machine for which schedules are chosen -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A module carries the model of its machine as its attribute `layout.machine`, a
/// `#layout.machine`. Passes ask `getMachineModel` for it, and never the host.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_IR_MACHINEMODEL_H
#define DIALECTS_LAYOUT_IR_MACHINEMODEL_H

#include "dialects/layout/IR/ModelNumbers.h"

#include <cstdint>

namespace mlir::tssa::layout {

/// The numbers of a machine on which the choice of layouts and schedules depends. The values given
/// here are those of x86-64-v4; a module without the attribute has this machine.
struct MachineModel {
  int64_t lanes = 16;         ///< f32 lanes of a vector register
  int64_t registers = 32;     ///< vector registers
  int64_t fmaPorts = 2;       ///< multiply-adds of whole registers that start in one cycle
  int64_t loadPorts = 2;      ///< loads of whole vector registers that start in one cycle
  int64_t lineBytes = 64;     ///< bytes of a line of every cache
  int64_t l1Bytes = 32 << 10; ///< bytes of the first-level data cache
  int64_t l1Ways = 8;         ///< ways of the first-level data cache
  int64_t l2Bytes = 1 << 20;  ///< bytes of the second-level cache of one core
  int64_t l3Bytes = 32 << 20; ///< bytes of the third-level cache, all of which one core may use
  /// Products that dot instructions add in one cycle, of bf16, and of u8 and s8; 0 if there are
  /// none.
  int64_t bf16Products = 0, byteProducts = 0;
  /// The same of instructions on registers of matrices.
  int64_t bf16MatrixProducts = 0, byteMatrixProducts = 0;

  /// Returns the products of f32 that vectors add in one cycle.
  int64_t getF32Products() const { return lanes * fmaPorts; }
  /// Returns the bytes of one way of the first-level cache. Addresses at this distance share a set.
  int64_t getL1WayBytes() const { return l1Bytes / l1Ways; }

  bool operator==(const MachineModel &other) const;
};

llvm::hash_code hash_value(const MachineModel &model);

using MachineField = ModelField<MachineModel>;

/// Returns the numbers of the model, in the order of its text.
ArrayRef<MachineField> getMachineFields();

/// Checks the constraints C1 and C2 of `#layout.machine`. On failure, calls `fail` with the reason.
LogicalResult checkMachineModel(const MachineModel &model, function_ref<void(const Twine &)> fail);

/// Prints `<lanes = 16, ...>`.
void printNumbers(raw_ostream &stream, const MachineModel &model);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_IR_MACHINEMODEL_H
