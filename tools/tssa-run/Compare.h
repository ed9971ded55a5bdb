//===- Compare.h - outputs against a reference ---------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_TOOLS_TSSA_RUN_COMPARE_H
#define TSSA_TOOLS_TSSA_RUN_COMPARE_H

#include "tssa/Runtime/Npz.h"

namespace tssa::run {

/// How an output differs from its reference.
struct Difference {
  std::string name;
  /// Set when the two cannot be compared: another dtype or shape.
  std::string incomparable;
  int64_t count = 0;
  int64_t mismatches = 0;
  double maxAbsolute = 0;
  double maxRelative = 0;
  double maxReference = 0; ///< largest finite magnitude in the reference

  bool matches() const { return incomparable.empty() && mismatches == 0; }
};

/// Elements match when |out - ref| <= atol + rtol * |ref|; NaN matches NaN, and
/// an infinity matches itself only.
Difference compare(const std::string &name, const runtime::Tensor &output,
                   const runtime::Tensor &reference, double rtol, double atol);

/// "f32[2,3]".
std::string describe(const runtime::Tensor &tensor);

} // namespace tssa::run

#endif // TSSA_TOOLS_TSSA_RUN_COMPARE_H
