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
  case TSSA_MATH_EXP:
    return std::exp(x);
  case TSSA_MATH_EXP2:
    return std::exp2(x);
  case TSSA_MATH_EXPM1:
    return std::expm1(x);
  case TSSA_MATH_LOG:
    return std::log(x);
  case TSSA_MATH_LOG2:
    return std::log2(x);
  case TSSA_MATH_LOG10:
    return std::log10(x);
  case TSSA_MATH_LOG1P:
    return std::log1p(x);
  case TSSA_MATH_SIN:
    return std::sin(x);
  case TSSA_MATH_COS:
    return std::cos(x);
  case TSSA_MATH_TAN:
    return std::tan(x);
  case TSSA_MATH_ASIN:
    return std::asin(x);
  case TSSA_MATH_ACOS:
    return std::acos(x);
  case TSSA_MATH_ATAN:
    return std::atan(x);
  case TSSA_MATH_ATAN2:
    return std::atan2(x, y);
  case TSSA_MATH_SINH:
    return std::sinh(x);
  case TSSA_MATH_COSH:
    return std::cosh(x);
  case TSSA_MATH_TANH:
    return std::tanh(x);
  case TSSA_MATH_ASINH:
    return std::asinh(x);
  case TSSA_MATH_ACOSH:
    return std::acosh(x);
  case TSSA_MATH_ATANH:
    return std::atanh(x);
  case TSSA_MATH_ERF:
    return std::erf(x);
  case TSSA_MATH_ERFC:
    return std::erfc(x);
  case TSSA_MATH_POW:
    return std::pow(x, y);
  case TSSA_MATH_FMOD:
    return std::fmod(x, y);
  case TSSA_MATH_CBRT:
    return std::cbrt(x);
  }
  return NAN;
}
