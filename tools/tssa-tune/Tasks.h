//===- Tasks.h - a model up to the kernels that are tuned -------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TOOLS_TSSA_TUNE_TASKS_H
#define TOOLS_TSSA_TUNE_TASKS_H

#include "Options.h"
#include "tssa/Target/CPU.h"
#include "tssa/Tuner/ModelTasks.h"

namespace tssa::tune {

/// Compiles the model up to the end of stage te. On failure, reports an error and returns its exit
/// code.
int compileToTE(mlir::MLIRContext &context, const Options &options, const cpu::Machine &machine,
                mlir::OwningOpRef<mlir::ModuleOp> &module);

} // namespace tssa::tune

#endif // TOOLS_TSSA_TUNE_TASKS_H
