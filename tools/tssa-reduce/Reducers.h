//===- Reducers.h - one for each kind of file -------------------------------===//
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

/// Writes the smallest interesting file that is found to `output`, each time a smaller
/// one is. An error says why there is none: `input` cannot be read, or is not
/// interesting itself.
llvm::Error reduceModel(llvm::StringRef input, llvm::StringRef output, Interest &interest);
llvm::Error reduceModule(llvm::StringRef input, llvm::StringRef output, Interest &interest);

} // namespace tssa::reduce

#endif // TSSA_TOOLS_TSSA_REDUCE_REDUCERS_H
