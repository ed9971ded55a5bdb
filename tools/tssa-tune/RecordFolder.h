//===- RecordFolder.h - folders of records for programs ---------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TOOLS_TSSA_TUNE_RECORDFOLDER_H
#define TOOLS_TSSA_TUNE_RECORDFOLDER_H

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Error.h"

namespace tssa::tune {

/// Makes a temporary folder with the records of loops that the folder `from` has. The caller
/// removes it.
llvm::Error copyLoops(llvm::StringRef from, llvm::SmallString<128> &folder);

} // namespace tssa::tune

#endif // TOOLS_TSSA_TUNE_RECORDFOLDER_H
