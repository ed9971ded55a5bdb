//===- ShortHelp.h - what tssa-opt --help prints ----------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TOOLS_TSSA_OPT_SHORTHELP_H
#define TOOLS_TSSA_OPT_SHORTHELP_H

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace tssa::opt {

/// Prints the main options and the names of the passes. MLIR's own help is longer by hundreds of
/// options of LLVM's code generators. The options must have been registered.
void printShortHelp(llvm::raw_ostream &stream);

} // namespace tssa::opt

#endif // TOOLS_TSSA_OPT_SHORTHELP_H
