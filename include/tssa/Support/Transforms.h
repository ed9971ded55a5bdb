//===- Transforms.h - transformations that can be forced or left out ------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_SUPPORT_TRANSFORMS_H
#define TSSA_SUPPORT_TRANSFORMS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/CommandLine.h"

namespace tssa {

/// When a transformation is applied: where its estimated cost says so, wherever it is legal, or
/// never.
enum class Apply { Auto, Always, Never };

/// The values of an option of a pass.
inline llvm::cl::ValuesClass getApplyValues() {
  return llvm::cl::values(
      llvm::cl::OptionEnumValue{"auto", int(Apply::Auto), "where the estimated cost says so"},
      llvm::cl::OptionEnumValue{"always", int(Apply::Always), "wherever it is legal"},
      llvm::cl::OptionEnumValue{"never", int(Apply::Never), "not at all"});
}

/// The transformations that `tssa-compile --force=NAME` and `--without=NAME` know. They serve tests,
/// which want every transformation to happen, and comparisons.
struct Transforms {
  Apply hoistBatch = Apply::Auto;
  Apply parallelizeLoops = Apply::Auto;
  Apply expandUpdates = Apply::Auto;
  Apply storeWindows = Apply::Auto;
  Apply absorbPermutations = Apply::Auto;

  /// The names, separated by commas.
  static constexpr llvm::StringLiteral names =
      "hoist-batch, parallelize-loops, expand-updates, store-windows, absorb-permutations";

  /// Returns the transformation of this name, or null.
  Apply *find(llvm::StringRef name) {
    if (name == "hoist-batch")
      return &hoistBatch;
    if (name == "parallelize-loops")
      return &parallelizeLoops;
    if (name == "expand-updates")
      return &expandUpdates;
    if (name == "store-windows")
      return &storeWindows;
    return name == "absorb-permutations" ? &absorbPermutations : nullptr;
  }
};

} // namespace tssa

#endif // TSSA_SUPPORT_TRANSFORMS_H
