//===- ChooseVariant.h - chooses the variant and device of a session ------===//
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
  size_t variant = 0;  ///< an index into the manifest's variants
};

/// Chooses a device and a variant according to `device`, an option as in `SessionOptions::device`.
/// If no device can run a variant, the error names the variants of the program, the devices of the
/// machine, and the options to compile the missing variant.
Status chooseVariant(const Manifest &manifest, const std::string &device, DeviceChoice &choice);

} // namespace tssa::runtime

#endif // TSSA_LIB_RUNTIME_DEVICE_CHOOSEVARIANT_H
