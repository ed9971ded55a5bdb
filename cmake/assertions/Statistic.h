//===- Statistic.h - LLVM's statistics as in a build without assertions --===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#if __has_include("llvm/ADT/Statistic.h")
#define NDEBUG 1
#include "llvm/ADT/Statistic.h"
#undef NDEBUG
#endif
