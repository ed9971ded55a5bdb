//===- Check.h - what of a model is not supported --------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TOOLS_TSSA_COMPILE_CHECK_H
#define TOOLS_TSSA_COMPILE_CHECK_H

#include "Options.h"
#include "tssa/Import/ONNX.h"

namespace tssa::compile {

/// The exit code for what is wrong with a model.
int getExitCode(operators::Fault fault);

/// --check: imports the model, says what of it is not supported, and returns the exit
/// code. docs/check.md has the JSON.
int checkModel(mlir::MLIRContext &context, const Options &options, const ImportOptions &import);

} // namespace tssa::compile

#endif // TOOLS_TSSA_COMPILE_CHECK_H
