//===- ExitCode.cpp - how a tool ends -------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExitCode.h"
#include "llvm/Support/ErrorHandling.h"

int tssa::getExitCode(operators::Fault fault) {
  switch (fault) {
  case operators::Fault::None:
    return Success;
  case operators::Fault::Unsupported:
    return Unsupported;
  case operators::Fault::Limit:
    return LimitReached;
  case operators::Fault::Usage:
    return UsageError;
  case operators::Fault::Model:
    return ModelError;
  }
  llvm_unreachable("every fault has a code");
}
