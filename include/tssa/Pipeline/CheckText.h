//===- CheckText.h - checks of MLIR text before parsing ---------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Checks of MLIR text before it is parsed. MLIR's parser, printer and verifier recurse for each
/// level of brackets and regions; many thousands of levels would overflow the stack. The parser
/// also crashes on arrays whose element type has no width. Tools work on a stack that is large
/// enough for the nesting that `checkText` allows.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_PIPELINE_CHECKTEXT_H
#define TSSA_PIPELINE_CHECKTEXT_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace tssa {

/// Fails, with the number of the line, if brackets are nested more than 1000 deep. Fails also if
/// the element type of a dense array (`array<i64: 1>`) is an alias, or a type other than integers
/// and floats. Strings and comments do not count. Bytecode is not checked.
llvm::Error checkText(llvm::StringRef text);

/// Runs `work` on a thread with a stack of 64 MiB and returns its result. If no such thread can be
/// started, runs it on the current stack.
int runWithDeepStack(llvm::function_ref<int()> work);

} // namespace tssa

#endif // TSSA_PIPELINE_CHECKTEXT_H
