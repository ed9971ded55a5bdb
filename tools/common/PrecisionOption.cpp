//===- PrecisionOption.cpp - what --precision says ------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/common/PrecisionOption.h"
#include "llvm/ADT/STLExtras.h"

namespace tssa {

std::optional<PrecisionOption> PrecisionOption::parse(llvm::StringRef text) {
  PrecisionOption option;
  option.isFast = text == "fast";
  std::optional<Precision> precision = option.isFast ? Precision::F32 : parsePrecision(text);
  if (!precision)
    return std::nullopt;
  option.precision = *precision;
  return option;
}

static bool hasFastBF16(const cpu::Machine &machine) {
  int64_t f32 = machine.model.lanes * machine.model.fmaPorts;
  return std::max(machine.model.bf16Products, machine.model.bf16MatrixProducts) > f32;
}

Precision PrecisionOption::resolve(llvm::ArrayRef<cpu::Machine> cpus, bool hasDevice) const {
  return isFast && (hasDevice || llvm::any_of(cpus, hasFastBF16)) ? Precision::BF16 : precision;
}

} // namespace tssa
