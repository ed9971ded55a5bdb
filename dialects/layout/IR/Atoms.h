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
  Halves,  ///< f16 or bf16, added in f32
  TF32,    ///< f32 with the values of tf32, added in f32
  BF16,    ///< bf16, added in f32
  Bytes,   ///< u8 and s8, added in i32
  AnyBytes ///< u8 or s8 each, added in i32
};

/// What computes an instruction.
enum class AtomUnit {
  Warp,   ///< a matrix product, in fragments that its lanes have
  Vector, ///< a dot product in each lane of a vector register
  Matrix  ///< a matrix product, in registers that hold matrices
};

/// An instruction that `layout.atom` names: of a warp, which multiplies matrices; the dot product
/// of a CPU, which adds products of `steps` elements in each of `columns` lanes; or that of a CPU
/// which multiplies matrices of up to as many rows.
struct Atom {
  StringLiteral name;
  AtomUnit unit;
  int64_t rows, columns, steps; ///< that it multiplies; one row if it is a dot product
  AtomFactors kind;
  StringLiteral factors; ///< that it takes, in words
  double rate;           ///< of those of a warp: products in a cycle, of those of halves

  /// Whether it makes the steps a loop of the register tile, as CPUs do.
  bool hasOneLoop() const { return unit != AtomUnit::Warp; }
  bool isMatrix() const { return unit == AtomUnit::Matrix; }
  /// Of those with one loop: the elements of a factor that are a word of 32 bits.
  int64_t getWordSteps() const { return kind == AtomFactors::BF16 ? 2 : 4; }
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
