//===- ManifestCheck.h - the consistency of a manifest -------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_RUNTIME_MANIFESTCHECK_H
#define TSSA_LIB_RUNTIME_MANIFESTCHECK_H

#include "tssa/Runtime/Manifest.h"

namespace tssa::runtime {

/// Checks that indexes are within their tables, names are unique and sizes are possible.
Status checkManifest(const Manifest &manifest);

} // namespace tssa::runtime

#endif // TSSA_LIB_RUNTIME_MANIFESTCHECK_H
