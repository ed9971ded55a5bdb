//===- LayoutOps.h - the layout dialect -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_IR_LAYOUTOPS_H
#define DIALECTS_LAYOUT_IR_LAYOUTOPS_H

#include "dialects/layout/IR/LayoutAttributes.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"

#include "dialects/layout/IR/LayoutDialect.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/layout/IR/LayoutTypes.h.inc"

#define GET_OP_CLASSES
#include "dialects/layout/IR/LayoutOps.h.inc"

namespace mlir::tssa::layout {

/// Returns the op that names the loops of the expression that `loop` is a loop of, before splits
/// and fusions, or null if the schedule does not define `loop` so.
LoopsOp getLoopsOp(Value loop);

/// Prints `#layout.machine<lanes = 16, ...>`.
raw_ostream &operator<<(raw_ostream &stream, const MachineModel &model);

/// Returns the machine of `module`, or the default model if the module says nothing of it.
MachineModel getMachineModel(ModuleOp module);

/// Makes `model` the machine of `module`. The layout dialect must be loaded.
void setMachineModel(ModuleOp module, const MachineModel &model);

/// Prints `#layout.device<processors = 108, ...>`.
raw_ostream &operator<<(raw_ostream &stream, const DeviceModel &model);

/// Returns whether `module` says for which GPU it is compiled.
bool hasDeviceModel(ModuleOp module);

/// Returns the GPU of `module`, or the default model if the module says nothing of it.
DeviceModel getDeviceModel(ModuleOp module);

/// Makes `model` the GPU of `module`. The layout dialect must be loaded.
void setDeviceModel(ModuleOp module, const DeviceModel &model);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_IR_LAYOUTOPS_H
