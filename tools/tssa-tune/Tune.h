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

/// Tunes a model: reads its kernels, runs a session, and writes records. Returns the exit code.
int tuneModel(const Options &options);

/// Derives the proposals of a recorded session again. Returns the exit code.
int replaySession(const Options &options);

} // namespace tssa::tune

#endif // TOOLS_TSSA_TUNE_TUNE_H
