//===- Precision.h - what the factors of products are rounded to -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_SUPPORT_PRECISION_H
#define TSSA_SUPPORT_PRECISION_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/CommandLine.h"

#include <optional>

namespace tssa {

/// What the f32 factors of contractions are rounded to. F32 leaves them as they are. TF32 has the
/// exponent of f32 and 10 bits of mantissa.
enum class Precision { F32, F16, BF16, TF32 };

/// Returns the precision of this name, or nothing.
inline std::optional<Precision> parsePrecision(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<Precision>>(name)
      .Case("f32", Precision::F32)
      .Case("f16", Precision::F16)
      .Case("bf16", Precision::BF16)
      .Case("tf32", Precision::TF32)
      .Default(std::nullopt);
}

/// The values of an option of a pass that rounds.
inline llvm::cl::ValuesClass getRoundedPrecisions() {
  return llvm::cl::values(
      llvm::cl::OptionEnumValue{"f16", int(Precision::F16), "half precision"},
      llvm::cl::OptionEnumValue{"bf16", int(Precision::BF16), "the upper half of f32"},
      llvm::cl::OptionEnumValue{"tf32", int(Precision::TF32), "10 bits of mantissa, kept as f32"});
}

} // namespace tssa

#endif // TSSA_SUPPORT_PRECISION_H
