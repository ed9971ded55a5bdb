//===- Rankings.h - compares rankings on recorded trials --------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TOOLS_TSSA_TUNE_RANKINGS_H
#define TOOLS_TSSA_TUNE_RANKINGS_H

#include "Options.h"

namespace tssa::tune {

/// For each kernel of the model, searches the trials that the database has of it by each ranking,
/// without measuring, and prints what part of the best time is reached after how many trials.
/// Returns the exit code.
int judgeRankings(const Options &options);

} // namespace tssa::tune

#endif // TOOLS_TSSA_TUNE_RANKINGS_H
