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

/// What an instruction multiplies.
enum class AtomFactors {
  Halves, ///< f16 or bf16, added in f32
  TF32,   ///< f32 with the values of tf32, added in f32
  BF16,   ///< bf16, added in f32
  Bytes   ///< u8 and s8, added in i32
};

/// An instruction that `layout.atom` names: of a warp, which multiplies matrices, or the dot
/// product of a CPU, which adds products of `steps` elements in each of `columns` lanes.
struct Atom {
  StringLiteral name;
  int64_t rows, columns, steps; ///< that it multiplies; one row if it is a dot product
  AtomFactors kind;
  StringLiteral factors; ///< that it takes, in words
  double rate;           ///< of those of a warp: products in a cycle, of those of halves

  bool isDot() const { return rows == 1; }
  /// Whether it takes factors of type `factor` and adds to sums of type `sum`.
  bool takes(Type factor, Type sum) const;

  /// Whether lanes load fragments of a factor element by element: ldmatrix cannot transpose
  /// elements of 32 bits.
  bool loadsElements(bool hasRowsOfSteps) const {
    return kind == AtomFactors::TF32 && !hasRowsOfSteps;
  }

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
