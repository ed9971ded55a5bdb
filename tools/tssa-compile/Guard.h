//===- Guard.h - limits the time and memory of a compilation ---*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TOOLS_TSSA_COMPILE_GUARD_H
#define TOOLS_TSSA_COMPILE_GUARD_H

#include "Options.h"

namespace tssa::compile {

/// Enforces the limits of time and memory in `options`; if a limit is exceeded, the process ends
/// with LimitReached and a message. Also removes unfinished files when the process ends because of
/// a limit or a signal. Call this once, before the work begins.
void guardProcess(const Options &options);

/// Returns if nothing else ends the process; from then on no limit and no signal does, except
/// those that cannot be caught. Call this before the process ends with a code of its own.
void claimEnd();

} // namespace tssa::compile

#endif // TOOLS_TSSA_COMPILE_GUARD_H
