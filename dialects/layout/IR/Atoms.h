//===- Atoms.h - instructions that multiply matrices ------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_IR_ATOMS_H
#define DIALECTS_LAYOUT_IR_ATOMS_H

#include "mlir/IR/BuiltinTypes.h"

namespace mlir::tssa::layout {

/// An instruction that `layout.atom` names.
struct Atom {
  StringLiteral name;
  int64_t rows, columns, steps; ///< that it multiplies

  /// Whether it takes factors of type `factor` and adds to sums of type `sum`.
  bool takes(Type factor, Type sum) const {
    return isa<Float16Type, BFloat16Type>(factor) && sum.isF32();
  }
};

/// Returns the instruction `name`, or null if there is none.
const Atom *findAtom(StringRef name);

/// Returns the names of all instructions, separated by commas.
std::string listAtoms();

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_IR_ATOMS_H
