//===- ManifestCheck.h - what a consistent manifest is -------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_RUNTIME_MANIFESTCHECK_H
#define TSSA_LIB_RUNTIME_MANIFESTCHECK_H

#include "tssa/Runtime/Manifest.h"

namespace tssa::runtime {

/// Indices point into their tables, names are unique, sizes are possible.
Status checkManifest(const Manifest &manifest);

} // namespace tssa::runtime

#endif // TSSA_LIB_RUNTIME_MANIFESTCHECK_H
