//===- Target.h - what code is made for ------------------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A program can be compiled for several targets, each a variant of its own
/// (docs/decisions/0004).
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_TARGET_TARGET_H
#define TSSA_TARGET_TARGET_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace tssa {

struct Target {
  enum Kind {
    CPU,     ///< kernels are functions of the host
    CUDA,    ///< kernels are PTX
    Emulator ///< kernels for CUDA that run on the host, a fiber per thread
  };
  Kind kind = CPU;
  /// Compute capability times ten that kernels for CUDA may use: 90 for sm_90.
  int arch = 0;

  /// Whether the host program and the kernels have memory of their own each.
  bool isDevice() const { return kind != CPU; }
  /// As `parseTarget` reads it: "cpu", "cuda:sm_90", "cuda-emu".
  std::string getName() const;

  bool operator==(const Target &other) const { return kind == other.kind && arch == other.arch; }
};

/// The error says what was expected.
llvm::Expected<Target> parseTarget(llvm::StringRef name);

/// A list with commas, not empty and without repetition.
llvm::Expected<std::vector<Target>> parseTargets(llvm::StringRef list);

} // namespace tssa

#endif // TSSA_TARGET_TARGET_H
