//===- DotProduct.h - dot products of a CPU for an expression ---*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_TEMPLATE_DOTPRODUCT_H
#define DIALECTS_LAYOUT_TEMPLATE_DOTPRODUCT_H

#include "dialects/layout/Analysis/Access.h"
#include "dialects/layout/IR/Atoms.h"
#include "dialects/layout/IR/MachineModel.h"
#include "dialects/layout/Template/Point.h"
#include "dialects/layout/Template/Roles.h"

namespace mlir::tssa::layout {

/// A dot product, or a product of matrices, that computes an expression faster than other
/// instructions of a machine.
struct DotProduct {
  const Atom *atom;
  unsigned dim; ///< the reduction dim whose elements lie beside each other in the data
  /// Whether the weights are no words in memory, but interleaved from vectors, one for each step.
  bool interleaves;
};

/// Returns the instruction of `unit` with vectors of `lanes` lanes that takes the factors of `op`,
/// or null.
const Atom *findDotInstruction(te::ComputeOp op, int64_t lanes, AtomUnit unit);
const Atom *findDotInstruction(te::ComputeOp op, const Point &point);

/// Returns the products that `atom`, with one loop, adds in one cycle of a machine; 0 if the
/// machine does not have it.
int64_t getDotRate(const Atom &atom, const MachineModel &machine);

/// Returns the fastest instruction for `op`, whose accesses and roles these are, if the machine has
/// one that is faster than multiply-adds, the data lies along a dim, and the weights can be stored
/// in words or are only known when the program runs.
std::optional<DotProduct> findDotProduct(te::ComputeOp op, ArrayRef<Access> accesses,
                                         const Roles &roles, const MachineModel &machine);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TEMPLATE_DOTPRODUCT_H
