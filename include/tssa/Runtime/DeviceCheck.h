//===- DeviceCheck.h - what this machine can run --------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_RUNTIME_DEVICECHECK_H
#define TSSA_RUNTIME_DEVICECHECK_H

#include "tssa/Runtime/Manifest.h"

namespace tssa::runtime {

/// Whether a session could run the program on `device` of this machine, and on what:
/// "cpu", "cuda:0 (NVIDIA H200, sm_90)", "cuda-emu".
Status checkMachine(const Manifest &manifest, const std::string &device, std::string &name);

/// The target to compile for so that `device` runs the program: "" for "auto", which
/// takes any; for a CUDA device of this machine the latest that it runs.
Status findTarget(const std::string &device, std::string &target);

} // namespace tssa::runtime

#endif // TSSA_RUNTIME_DEVICECHECK_H
