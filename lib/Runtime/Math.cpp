//===- Math.cpp - scalar functions without an expansion in compiled code -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RunState.h"

#include <cmath>

double tssa::runtime::evaluateMath(int32_t function, double x, double y) {
  switch (tssa_math_function(function)) {
#define HOST_FUNCTION(NAME, VALUE)                                                                 \
  case TSSA_MATH_##NAME:                                                                           \
    return VALUE;
#include "tssa/Support/HostFunctions.def"
#undef HOST_FUNCTION
  }
  return NAN;
}
