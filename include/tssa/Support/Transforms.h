//===- Transforms.h - transformations that can be forced or left out ------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_SUPPORT_TRANSFORMS_H
#define TSSA_SUPPORT_TRANSFORMS_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
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

/// The transformations that `tssa-compile --force=NAME` and `--without=NAME` know. They serve
/// tests, which want every transformation to happen, and comparisons.
struct Transforms {
  Apply hoistBatch = Apply::Auto;
  Apply parallelizeLoops = Apply::Auto;
  Apply mergeVertically = Apply::Auto;
  Apply expandUpdates = Apply::Auto;
  Apply storeWindows = Apply::Auto;
  Apply absorbPermutations = Apply::Auto;
  Apply mergeHorizontally = Apply::Auto;
  Apply fuseCells = Apply::Auto;
  Apply skewLoops = Apply::Auto;
  Apply splitReductions = Apply::Auto;
  Apply splitRows = Apply::Auto;
  Apply mergeLaunches = Apply::Auto;
  Apply boxes = Apply::Auto;

  /// The names, separated by commas.
  static std::string listNames();

  /// Returns the transformation of this name, or null.
  Apply *find(llvm::StringRef name);

private:
  struct Named {
    llvm::StringLiteral name;
    Apply Transforms::*transform;
  };
  static llvm::ArrayRef<Named> getTable();
};

inline llvm::ArrayRef<Transforms::Named> Transforms::getTable() {
  static constexpr Named table[] = {{"hoist-batch", &Transforms::hoistBatch},
                                    {"parallelize-loops", &Transforms::parallelizeLoops},
                                    {"merge-vertically", &Transforms::mergeVertically},
                                    {"expand-updates", &Transforms::expandUpdates},
                                    {"store-windows", &Transforms::storeWindows},
                                    {"absorb-permutations", &Transforms::absorbPermutations},
                                    {"merge-horizontally", &Transforms::mergeHorizontally},
                                    {"fuse-cells", &Transforms::fuseCells},
                                    {"skew-loops", &Transforms::skewLoops},
                                    {"split-reductions", &Transforms::splitReductions},
                                    {"split-rows", &Transforms::splitRows},
                                    {"merge-launches", &Transforms::mergeLaunches},
                                    {"boxes", &Transforms::boxes}};
  return table;
}

inline std::string Transforms::listNames() {
  return llvm::join(llvm::map_range(getTable(), [](const Named &named) { return named.name; }),
                    ", ");
}

inline Apply *Transforms::find(llvm::StringRef name) {
  for (const Named &named : getTable())
    if (named.name == name)
      return &(this->*named.transform);
  return nullptr;
}

} // namespace tssa

#endif // TSSA_SUPPORT_TRANSFORMS_H
