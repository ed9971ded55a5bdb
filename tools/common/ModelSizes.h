//===- ModelSizes.h - sizes of a model from the command line ----*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TOOLS_COMMON_MODELSIZES_H
#define TOOLS_COMMON_MODELSIZES_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

#include <string>

namespace tssa {

/// Reads the values of `--dim`, NAME=N, and of `--input-shape`, NAME=1x3x224x224. Returns what is
/// wrong with one of them, or an empty string.
std::string readModelSizes(llvm::ArrayRef<std::string> dims, llvm::ArrayRef<std::string> shapes,
                           llvm::StringMap<int64_t> &sizeOfDim,
                           llvm::StringMap<llvm::SmallVector<int64_t>> &shapeOfInput);

} // namespace tssa

#endif // TOOLS_COMMON_MODELSIZES_H
