//===- Target.h - the targets of compilation --------------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The targets for which a program can be compiled; each becomes a variant of its own
/// (docs/decisions/0004).
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_TARGET_TARGET_H
#define TSSA_TARGET_TARGET_H

#include "tssa/Support/GPUArch.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace tssa {

struct Target {
  enum Kind {
    CPU,     ///< kernels are functions of the host
    CUDA,    ///< kernels are PTX
    Emulator ///< kernels for CUDA run on the host, one fiber per thread
  };
  Kind kind = CPU;
  GPUArch arch{}; ///< whose instructions kernels for CUDA may use

  /// Whether kernels have memory of their own, apart from that of the host program.
  bool isDevice() const { return kind != CPU; }
  /// Returns the name that `parseTarget` accepts: "cpu", "cuda:sm_90" or "cuda-emu".
  std::string getName() const;

  bool operator==(const Target &other) const { return kind == other.kind && arch == other.arch; }
};

/// Parses the name of a target. The error says which names are expected.
llvm::Expected<Target> parseTarget(llvm::StringRef name);

/// Parses a comma-separated list of targets, which must not be empty or contain duplicates.
llvm::Expected<std::vector<Target>> parseTargets(llvm::StringRef list);

} // namespace tssa

#endif // TSSA_TARGET_TARGET_H
