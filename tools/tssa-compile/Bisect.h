//===- Bisect.h - finds the first node whose value is wrong ----*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TOOLS_TSSA_COMPILE_BISECT_H
#define TOOLS_TSSA_COMPILE_BISECT_H

#include "Options.h"
#include "tssa/Import/ONNX.h"
#include "tssa/Pipeline/Compile.h"

namespace tssa::compile {

/// Compiles the model with every value as an output, runs it, and compares the values, in the order
/// of the nodes, with those of the file `--reference` or of the evaluator. If no value differs,
/// compiles the model once more with only its own outputs and compares these, because the error may
/// be in merging. Prints the result and returns the exit code: Mismatch for a difference.
int bisect(mlir::MLIRContext &context, const Options &options, ImportOptions import,
           const CompileOptions &compile);

} // namespace tssa::compile

#endif // TOOLS_TSSA_COMPILE_BISECT_H
