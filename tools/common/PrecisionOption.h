//===- PrecisionOption.h - what --precision says ----------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TOOLS_COMMON_PRECISIONOPTION_H
#define TOOLS_COMMON_PRECISIONOPTION_H

#include "tssa/Support/Precision.h"
#include "tssa/Target/CPU.h"
#include "llvm/ADT/ArrayRef.h"

namespace tssa {

/// What the factors of contractions are rounded to: a precision, or the one that is fast.
class PrecisionOption {
public:
  PrecisionOption() = default;

  /// Reads a value of `--precision`. Returns nothing if it is none.
  static std::optional<PrecisionOption> parse(llvm::StringRef text);
  /// What parse expects.
  static llvm::StringRef getExpected() { return "f32, f16, bf16, tf32 or fast"; }

  /// Returns the precision for programs that run on any of `cpus`, or on a GPU if `hasDevice` is
  /// set. `fast` is bf16 where one of them computes its products faster than those of f32: a GPU
  /// does, and a CPU with dot products or registers of matrices.
  Precision resolve(llvm::ArrayRef<cpu::Machine> cpus, bool hasDevice) const;

private:
  Precision precision = Precision::F32;
  bool isFast = false;
};

} // namespace tssa

#endif // TOOLS_COMMON_PRECISIONOPTION_H
