//===- Inputs.h - chooses sizes and random inputs ------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_TOOLS_TSSA_RUN_INPUTS_H
#define TSSA_TOOLS_TSSA_RUN_INPUTS_H

#include "tssa/Runtime/Npz.h"

#include <map>

namespace tssa::run {

/// Sets `sizes` to the sizes of all symbols. A symbol that is not in `given` gets its minimum, but
/// at least 1, and is listed in `assumed`.
runtime::Status chooseSizes(const runtime::Manifest &manifest,
                            const std::map<std::string, int64_t> &given,
                            std::vector<int64_t> &sizes, std::vector<std::string> &assumed);

/// What making inputs may take; 0 is no limit.
struct InputLimits {
  double seconds = 0;
  uint64_t bytes = 0;
};

/// Makes random inputs from a seed: floats from N(0,1), and 0 or 1 for integers and bools. Fails
/// with TSSA_OUT_OF_MEMORY or TSSA_CANCELLED where they exceed the limits, before it allocates
/// more.
runtime::Status makeRandomInputs(const runtime::Manifest &manifest,
                                 const std::vector<int64_t> &sizes, uint64_t seed,
                                 const InputLimits &limits, std::vector<runtime::NpzEntry> &inputs);

} // namespace tssa::run

#endif // TSSA_TOOLS_TSSA_RUN_INPUTS_H
