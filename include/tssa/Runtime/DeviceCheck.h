//===- DeviceCheck.h - which programs this machine can run ----------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_RUNTIME_DEVICECHECK_H
#define TSSA_RUNTIME_DEVICECHECK_H

#include "tssa/Runtime/Manifest.h"

namespace tssa::runtime {

/// Checks that a session can run the program on `device` of this machine. Sets `name` to the device
/// that the session would use: "cpu", "cuda:0 (NVIDIA H200, sm_90)" or "cuda-emu".
Status checkMachine(const Manifest &manifest, const std::string &device, std::string &name);

/// Sets `target` to the target for which to compile a program that will run on `device`.
/// For "auto" this is "", which stands for any target. For a CUDA device of this machine
/// it is the latest target that the compiler supports and the device can run.
Status findTarget(const std::string &device, std::string &target);

} // namespace tssa::runtime

#endif // TSSA_RUNTIME_DEVICECHECK_H
