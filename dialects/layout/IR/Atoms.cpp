//===- Atoms.cpp - instructions that multiply matrices --------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/IR/Atoms.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::tssa;

using layout::AtomFactors;
using layout::AtomUnit;

static constexpr layout::Atom atoms[] = {
    {"mma.m16n8k16", AtomUnit::Warp, 16, 8, 16, AtomFactors::Halves, "f16 or bf16, extended to f32",
     /*rate=*/1},
    {"mma.m16n8k8", AtomUnit::Warp, 16, 8, 8, AtomFactors::TF32, "f32, in products with te.tf32",
     /*rate=*/0.5},
    {"amx.bf16", AtomUnit::Matrix, 16, 16, 32, AtomFactors::BF16, "bf16, extended to f32",
     /*rate=*/0},
    {"amx.int8", AtomUnit::Matrix, 16, 16, 64, AtomFactors::AnyBytes, "u8 or s8, extended to i32",
     /*rate=*/0},
    {"avx512.bf16", AtomUnit::Vector, 1, 16, 2, AtomFactors::BF16, "bf16, extended to f32",
     /*rate=*/0},
    {"avx512.vnni", AtomUnit::Vector, 1, 16, 4, AtomFactors::Bytes, "u8 and s8, extended to i32",
     /*rate=*/0},
    {"avx.vnni", AtomUnit::Vector, 1, 8, 4, AtomFactors::Bytes, "u8 and s8, extended to i32",
     /*rate=*/0}};

bool layout::Atom::takes(Type factor, Type sum) const {
  switch (kind) {
  case AtomFactors::Halves:
    return sum.isF32() && isa<Float16Type, BFloat16Type>(factor);
  case AtomFactors::TF32:
    return sum.isF32() && factor.isF32();
  case AtomFactors::BF16:
    return sum.isF32() && factor.isBF16();
  case AtomFactors::Bytes:
  case AtomFactors::AnyBytes:
    return sum.isInteger(32) && factor.isInteger(8);
  }
  llvm_unreachable("an enumerator for each kind");
}

ArrayRef<layout::Atom> layout::getAtoms() { return atoms; }

const layout::Atom *layout::findAtom(StringRef name) {
  const Atom *found = llvm::find_if(atoms, [&](const Atom &atom) { return atom.name == name; });
  return found == std::end(atoms) ? nullptr : found;
}

std::string layout::listAtoms() {
  return llvm::join(llvm::map_range(atoms, [](const Atom &atom) { return atom.name.str(); }), ", ");
}
