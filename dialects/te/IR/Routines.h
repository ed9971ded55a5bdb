//===- Routines.h - the library routines of te.extern ----------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_IR_ROUTINES_H
#define DIALECTS_TE_IR_ROUTINES_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

namespace mlir::tssa::te {

/// Returns whether lib/Externs has a routine of this name. Other names are routines of users.
inline bool isLibraryRoutine(llvm::StringRef name) {
  static constexpr llvm::StringRef names[] = {
      "topk", "unique", "nonzero", "compress", "non_max_suppression", "det"};
  return llvm::is_contained(names, name);
}

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_IR_ROUTINES_H
