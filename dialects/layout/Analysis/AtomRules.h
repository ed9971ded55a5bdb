//===- AtomRules.h - what a schedule with an atom must have -----*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_ANALYSIS_ATOMRULES_H
#define DIALECTS_LAYOUT_ANALYSIS_ATOMRULES_H

#include "dialects/layout/Analysis/Schedule.h"

namespace mlir::tssa::layout {

/// What is wrong with a schedule, and the op at fault.
struct ScheduleFault {
  Operation *op;
  std::string text;
};

/// Returns what is wrong with the atom of `schedule` or with a pipeline without one, if anything
/// is. `order` are the live loops of the expression `label`, outermost first.
std::optional<ScheduleFault> findAtomFault(const Schedule &schedule, ArrayRef<unsigned> order,
                                           StringRef label);

/// Returns factor `operand` of the products that piece `piece` of `op` adds to sum number `sum`, as
/// `atom` takes it, or null if it takes no such product. Elements of 16 bits are those that the
/// body extends; elements of f32 must have the values of tf32 (te::isTF32Product). No factor has an
/// opaque index. Several sums are taken by dot products only.
Value findAtomFactor(te::ComputeOp op, unsigned piece, unsigned operand, const Atom &atom,
                     unsigned sum = 0);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_ANALYSIS_ATOMRULES_H
