//===- CheckText.h - text that MLIR's parser survives ----------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// MLIR's parser, printer and verifier call themselves for each level of brackets and
/// regions, and run out of stack where there are many thousands. MLIR's parser also crashes
/// on arrays whose elements have no width. So the text is looked at before it is parsed, and
/// tools work on a stack that is large enough for the rest.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_PIPELINE_CHECKTEXT_H
#define TSSA_PIPELINE_CHECKTEXT_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace tssa {

/// Fails, with the line, when brackets of MLIR text are more than 1000 deep, or the elements
/// of a dense array (`array<i64: 1>`) have another type than an integer or a float that is
/// spelled out. Strings and comments do not count; bytecode passes.
llvm::Error checkText(llvm::StringRef text);

/// Runs `work` on a stack of 64 MiB, where one can be had, and returns its result.
int runWithDeepStack(llvm::function_ref<int()> work);

} // namespace tssa

#endif // TSSA_PIPELINE_CHECKTEXT_H
