//===- Reducers.h - reduces models and modules ------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_TOOLS_TSSA_REDUCE_REDUCERS_H
#define TSSA_TOOLS_TSSA_REDUCE_REDUCERS_H

#include "Interest.h"
#include "llvm/Support/Error.h"

namespace tssa::reduce {

/// Reduces `input`. Each time a smaller interesting file is found, writes it to `output`. Returns
/// an error if `input` cannot be read or is not interesting itself.
llvm::Error reduceModel(llvm::StringRef input, llvm::StringRef output, Interest &interest);
llvm::Error reduceModule(llvm::StringRef input, llvm::StringRef output, Interest &interest);

} // namespace tssa::reduce

#endif // TSSA_TOOLS_TSSA_REDUCE_REDUCERS_H
