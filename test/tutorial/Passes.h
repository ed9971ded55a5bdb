//===- Passes.h - a pass of the tutorial -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TEST_TUTORIAL_PASSES_H
#define TEST_TUTORIAL_PASSES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Pass/Pass.h"

namespace tutorial {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "test/tutorial/Passes.h.inc"

} // namespace tutorial

#endif // TEST_TUTORIAL_PASSES_H
