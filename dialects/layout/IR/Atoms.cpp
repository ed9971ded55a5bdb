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

static constexpr layout::Atom atoms[] = {
    {"mma.m16n8k16", 16, 8, 16, "f16 or bf16, extended to f32", /*takesTF32=*/false, /*rate=*/1},
    {"mma.m16n8k8", 16, 8, 8, "f32, in products with te.tf32", /*takesTF32=*/true, /*rate=*/0.5}};

ArrayRef<layout::Atom> layout::getAtoms() { return atoms; }

const layout::Atom *layout::findAtom(StringRef name) {
  const Atom *found = llvm::find_if(atoms, [&](const Atom &atom) { return atom.name == name; });
  return found == std::end(atoms) ? nullptr : found;
}

std::string layout::listAtoms() {
  return llvm::join(llvm::map_range(atoms, [](const Atom &atom) { return atom.name.str(); }), ", ");
}
