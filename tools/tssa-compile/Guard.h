//===- Guard.h - ends a compilation that takes too much --------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TOOLS_TSSA_COMPILE_GUARD_H
#define TOOLS_TSSA_COMPILE_GUARD_H

#include "Options.h"

namespace tssa::compile {

/// Makes what is not finished be removed when the process ends early: at a signal, after
/// the time of `options` or when memory runs out. The last two end it with LimitReached
/// and a message. Call it once, before the work begins.
void guardProcess(const Options &options);

} // namespace tssa::compile

#endif // TOOLS_TSSA_COMPILE_GUARD_H
