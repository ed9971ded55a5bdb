//===- ExitCode.h - how a tool ends ------------------------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TOOLS_COMMON_EXITCODE_H
#define TOOLS_COMMON_EXITCODE_H

#include "tssa/Builder/Builder.h"

namespace tssa {

enum ExitCode {
  Success = 0,
  ModelError = 1,
  UsageError = 2,
  Unsupported = 3,
  Mismatch = 4,
  LimitReached = 5,
  InternalError = 70,
  Interrupted = 130 ///< 128 and SIGINT, as shells have it
};

/// Returns the exit code for `fault`.
int getExitCode(operators::Fault fault);

} // namespace tssa

#endif // TOOLS_COMMON_EXITCODE_H
