//===- Bisect.h - finds the first node that is wrong ---------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_TOOLS_TSSA_RUN_BISECT_H
#define TSSA_TOOLS_TSSA_RUN_BISECT_H

#include "Options.h"

#include "tssa/Runtime/Status.h"

namespace tssa::run {

/// Replaces this process by `tssa-compile MODEL --bisect`, which contains the importer and
/// the evaluator. Returns only on failure.
runtime::Status bisect(const Options &options);

} // namespace tssa::run

#endif // TSSA_TOOLS_TSSA_RUN_BISECT_H
