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
  const mlir::tssa::layout::MachineModel &model = machine.model;
  return std::max(model.bf16Products, model.bf16MatrixProducts) > model.getF32Products();
}

Precision PrecisionOption::resolve(llvm::ArrayRef<cpu::Machine> cpus, bool hasDevice) const {
  return isFast && (hasDevice || llvm::any_of(cpus, hasFastBF16)) ? Precision::BF16 : precision;
}

} // namespace tssa
