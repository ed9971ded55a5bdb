//===- MachineModels.h - models of CPUs by name -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_TARGET_CPU_MACHINEMODELS_H
#define LIB_TARGET_CPU_MACHINEMODELS_H

#include "dialects/layout/IR/MachineModel.h"

#include <optional>

namespace tssa::cpu {

/// Returns the model of the CPU with LLVM's name `cpu` and vector registers of `vectorBytes` (64 or
/// 32), or nothing if the table does not have the CPU.
std::optional<mlir::tssa::layout::MachineModel> lookupMachineModel(llvm::StringRef cpu,
                                                                   unsigned vectorBytes);

/// Sets the rates of dot products in the model of a CPU with these features, whose other numbers
/// are set: 0 where it does not have the instruction.
void setDotProducts(llvm::StringRef cpu, llvm::ArrayRef<std::string> features,
                    mlir::tssa::layout::MachineModel &model);

/// Returns the name of a host that LLVM calls `reported`. LLVM goes by the number of the CPU, and a
/// hypervisor may give that of an older one: a CPU that has AVX512-FP16, as `hasFP16` says, is none
/// of the Intel CPUs before Sapphire Rapids.
llvm::StringRef nameHost(llvm::StringRef reported, bool hasFP16);

/// Replaces the caches of `model` by those that `folder` describes, which has the form of
/// /sys/devices/system/cpu/cpu0/cache. Leaves `model` as it is if the folder does not describe all
/// of them, or describes what cannot be.
void readCaches(llvm::StringRef folder, mlir::tssa::layout::MachineModel &model);

} // namespace tssa::cpu

#endif // LIB_TARGET_CPU_MACHINEMODELS_H
