//===- Machines.h - the machines of --mcpu and --machine --------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TOOLS_TSSA_COMPILE_MACHINES_H
#define TOOLS_TSSA_COMPILE_MACHINES_H

#include "Options.h"
#include "tssa/Target/CPU.h"
#include "tssa/Target/CUDA.h"

#include <optional>
#include <vector>

namespace tssa::compile {

/// The machines that a program is compiled for.
struct Machines {
  std::vector<cpu::Machine> cpus;     ///< at least one, those with more instructions first
  std::optional<cuda::Device> device; ///< if --machine names a GPU
};

/// Returns the machines of --machine or --mcpu. Warns of a CPU whose caches are not known.
llvm::Expected<Machines> getMachines(const Options &options);

} // namespace tssa::compile

#endif // TOOLS_TSSA_COMPILE_MACHINES_H
