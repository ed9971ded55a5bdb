//===- Nesting.h - text that is nested too deeply --------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// MLIR's parser, printer and verifier call themselves for each level of brackets and
/// regions, and run out of stack where there are many thousands. So the text is looked at
/// before it is parsed, and tools work on a stack that is large enough for the rest.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_PIPELINE_NESTING_H
#define TSSA_PIPELINE_NESTING_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace tssa {

/// Fails, with the line, when brackets of MLIR text are more than 1000 deep. Strings and
/// comments do not count; bytecode passes.
llvm::Error checkNesting(llvm::StringRef text);

/// Runs `work` on a stack of 64 MiB, where one can be had, and returns its result.
int runWithDeepStack(llvm::function_ref<int()> work);

} // namespace tssa

#endif // TSSA_PIPELINE_NESTING_H
