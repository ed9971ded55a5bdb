//===- LoadedCode.h - a program's code in this process -------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The verified bytes are copied to an anonymous file and loaded from there. The code that
/// runs is thus the code that was hashed, even if the artifact changes, and each session has
/// a separate copy. The disadvantage is that processes do not share the pages of the code.
/// The weights, which are much larger, are mapped from the artifact and shared.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_RUNTIME_LOADEDCODE_H
#define TSSA_LIB_RUNTIME_LOADEDCODE_H

#include "File.h"

#include "tssa/emulator.h"

#include <string_view>

namespace tssa::runtime {

class LoadedCode {
public:
  LoadedCode() = default;
  LoadedCode(const LoadedCode &) = delete;
  LoadedCode &operator=(const LoadedCode &) = delete;
  ~LoadedCode();

  /// Loads the code `bytes`. `suffix` is the suffix of the variant's exports.
  Status load(std::string_view bytes, const std::string &suffix);
  tssa_plan_fn plan = nullptr;
  tssa_run_fn run = nullptr;
  /// The table of emulated kernels; null if the program has none.
  const tssa_emulated_kernel *const *kernels = nullptr;

private:
  /// The anonymous file, which stays open while the code is loaded: the loader identifies the
  /// library by the path of this descriptor, and would mistake a later file with the same
  /// descriptor for this library.
  File file;
  void *handle = nullptr;
};

} // namespace tssa::runtime

#endif // TSSA_LIB_RUNTIME_LOADEDCODE_H
