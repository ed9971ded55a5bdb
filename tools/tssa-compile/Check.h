//===- Check.h - reports the unsupported parts of a model ------*- C++ -*-===//
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

/// Implements --check: imports the model, reports all unsupported features that it uses, and
/// returns the exit code. docs/check.md describes the JSON output.
int checkModel(mlir::MLIRContext &context, const Options &options, const ImportOptions &import);

} // namespace tssa::compile

#endif // TOOLS_TSSA_COMPILE_CHECK_H
