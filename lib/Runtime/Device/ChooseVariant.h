//===- ChooseVariant.h - which variant to run on which device -------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_RUNTIME_DEVICE_CHOOSEVARIANT_H
#define TSSA_LIB_RUNTIME_DEVICE_CHOOSEVARIANT_H

#include "tssa/Runtime/Manifest.h"

namespace tssa::runtime {

struct DeviceChoice {
  enum Kind { CPU, CUDA, Emulator };
  Kind kind = CPU;
  int32_t ordinal = 0; ///< of the CUDA device
  size_t variant = 0;  ///< into the manifest's
};

/// Chooses for `device` as `SessionOptions::device` has it. The message says what the
/// program has, what the machine has, and how to compile what is missing.
Status chooseVariant(const Manifest &manifest, const std::string &device, DeviceChoice &choice);

} // namespace tssa::runtime

#endif // TSSA_LIB_RUNTIME_DEVICE_CHOOSEVARIANT_H
