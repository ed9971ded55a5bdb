//===- WriteFile.h - outputs of tools --------------------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TOOLS_COMMON_WRITEFILE_H
#define TOOLS_COMMON_WRITEFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace tssa {

/// Writes `bytes` to the file at `path`, or to stdout for "-". A regular file is written under a
/// temporary name and then renamed, so that no partial file is visible. A device, a FIFO or a socket
/// stays what it is and gets the bytes.
llvm::Error writeFile(llvm::StringRef path, llvm::StringRef bytes);

} // namespace tssa

#endif // TOOLS_COMMON_WRITEFILE_H
