//===- Annotation.h - implements --annotate ---------------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TOOLS_TSSA_COMPILE_ANNOTATION_H
#define TOOLS_TSSA_COMPILE_ANNOTATION_H

#include "LaunchList.h"

namespace tssa::compile {

/// Returns the ONNX model at `path`, to be written to `output`, with the launches of each node as
/// its metadata: `tssa.kernel`, such as `3 k2_map`, and `tssa.ms`, the milliseconds of the launches
/// in one run, or `tssa.estimated_ms` without measured times. Fails with a sentence.
llvm::Expected<std::string> annotateModel(llvm::StringRef path, llvm::StringRef output,
                                          const LaunchList &launches);

} // namespace tssa::compile

#endif // TOOLS_TSSA_COMPILE_ANNOTATION_H
