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
  StringLiteral factors;        ///< that it takes, in words
  bool takesTF32;               ///< of f32, with the values of tf32; otherwise of 16 bits
  double rate;                  ///< products in a cycle, of those of factors of 16 bits

  /// Whether it takes factors of type `factor` and adds to sums of type `sum`.
  bool takes(Type factor, Type sum) const {
    return sum.isF32() && (takesTF32 ? factor.isF32() : isa<Float16Type, BFloat16Type>(factor));
  }

  /// Whether lanes load fragments of a factor element by element: ldmatrix cannot transpose
  /// elements of 32 bits.
  bool loadsElements(bool hasRowsOfSteps) const { return takesTF32 && !hasRowsOfSteps; }

  /// Returns the bytes by which rows of a factor in shared memory are longer than they need to be,
  /// so that what a warp loads at a time is in different banks: eight rows of 16 bytes, or eight
  /// words of each of four rows.
  int64_t getPaddingBytes(bool hasRowsOfSteps) const {
    return loadsElements(hasRowsOfSteps) ? 32 : 16;
  }
};

/// Returns all instructions.
ArrayRef<Atom> getAtoms();

/// Returns the instruction `name`, or null if there is none.
const Atom *findAtom(StringRef name);

/// Returns the names of all instructions, separated by commas.
std::string listAtoms();

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_IR_ATOMS_H
