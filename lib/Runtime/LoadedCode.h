//===- LoadedCode.h - a program's code in this process -------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The verified bytes are copied into an anonymous file and loaded from there:
/// what runs is what was hashed, whatever happens to the artifact meanwhile, and
/// every session has code of its own. The price is that processes do not share
/// the code's pages; weights, the large part, are mapped from the file.
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

  /// `suffix` is that of the variant's exports.
  Status load(std::string_view bytes, const std::string &suffix);
  tssa_plan_fn plan = nullptr;
  tssa_run_fn run = nullptr;
  /// The table of emulated kernels; null in a program that has none.
  const tssa_emulated_kernel *const *kernels = nullptr;

private:
  /// Kept open while the code is loaded: the loader knows it by this number and
  /// would take a reused one for the same library.
  File file;
  void *handle = nullptr;
};

} // namespace tssa::runtime

#endif // TSSA_LIB_RUNTIME_LOADEDCODE_H
