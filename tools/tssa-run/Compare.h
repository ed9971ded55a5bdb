//===- Compare.h - compares outputs with a reference ---------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_TOOLS_TSSA_RUN_COMPARE_H
#define TSSA_TOOLS_TSSA_RUN_COMPARE_H

#include "tssa/Runtime/Npz.h"

namespace tssa::run {

/// The difference of an output from its reference.
struct Difference {
  std::string name;
  /// Why the output and the reference cannot be compared, such as different shapes; empty if they
  /// can.
  std::string incomparable;
  int64_t count = 0;
  int64_t mismatches = 0;
  double maxAbsolute = 0;
  double maxRelative = 0;
  double maxReference = 0; ///< largest finite magnitude in the reference

  bool matches() const { return incomparable.empty() && mismatches == 0; }
};

/// Compares the elements. They match if |out - ref| <= atol + rtol * |ref|. NaN matches NaN,
/// and an infinity matches only itself.
Difference compare(const std::string &name, const runtime::Tensor &output,
                   const runtime::Tensor &reference, double rtol, double atol);

/// Returns dtype and shape, such as "f32[2,3]".
std::string describe(const runtime::Tensor &tensor);

} // namespace tssa::run

#endif // TSSA_TOOLS_TSSA_RUN_COMPARE_H
