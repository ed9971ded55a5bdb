//===- Inspect.h - describes a program -----------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_TOOLS_TSSA_RUN_INSPECT_H
#define TSSA_TOOLS_TSSA_RUN_INSPECT_H

#include "tssa/Runtime/Manifest.h"

namespace tssa::run {

/// These describe the signature, the sizes, the memory and the kernels, as readable text or as one
/// JSON object.
std::string inspectText(const runtime::Manifest &manifest);
std::string inspectJson(const runtime::Manifest &manifest);

/// Returns dtype and dims, such as "f32[N,3]".
std::string describe(const runtime::Manifest &manifest, const runtime::Port &port);

} // namespace tssa::run

#endif // TSSA_TOOLS_TSSA_RUN_INSPECT_H
