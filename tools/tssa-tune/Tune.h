//===- Tune.h - tunes the kernels of a model --------------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TOOLS_TSSA_TUNE_TUNE_H
#define TOOLS_TSSA_TUNE_TUNE_H

#include "Options.h"

namespace tssa::tune {

/// Prints an error. Returns `code`.
int report(const llvm::Twine &where, llvm::Error error, int code = ModelError);

/// Opens the database of the folder, or makes both.
llvm::Expected<search::Database> openDatabase(const Options &options);

/// Tunes a model: reads its kernels, runs sessions, and writes records. Sets the session of the
/// page to the one of the model's kernels, unless it is given. Returns the exit code.
int tuneModel(Options &options);

/// Derives the proposals of a recorded session again. Returns the exit code.
int replaySession(const Options &options);

} // namespace tssa::tune

#endif // TOOLS_TSSA_TUNE_TUNE_H
