//===- CarriedValues.h - more or fewer values through scf ops -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TSSA_TRANSFORMS_CARRIEDVALUES_H
#define DIALECTS_TSSA_TRANSFORMS_CARRIEDVALUES_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::tssa::refs {

/// Returns whether `op` is an scf.if, scf.for or scf.while. The passes of this dialect look into
/// the regions of these ops only.
bool isControlFlow(Operation *op);

/// Creates an op before `op` that takes over the regions of `op` and carries more values. Appends
/// `inits` to the operands (except for scf.if), values of `types` to the results, and the
/// corresponding arguments to the regions. For scf.for and scf.if, `types` must be the types of
/// `inits`. An scf.if gets an else region if it has none. The caller must extend the terminators,
/// replace the results of `op` and erase `op`.
Operation *addCarried(OpBuilder &builder, Operation *op, ValueRange inits, TypeRange types);

/// Returns the value-carrying operands of the terminator of `region`, a region of control flow.
MutableOperandRange getYielded(Region &region);

/// Returns the arguments of a region that carry values: all but an induction variable.
MutableArrayRef<BlockArgument> getCarriedArguments(Region &region);

/// Removes the operands of type `!tssa.ref` of `op` and of the terminators of its regions.
void dropRefOperands(Operation *op);

/// Replaces `op` by an op without the arguments and results of type `!tssa.ref`, which have no
/// uses. The operands of this type are dropped before.
void dropRefs(OpBuilder &builder, Operation *op);

} // namespace mlir::tssa::refs

#endif // DIALECTS_TSSA_TRANSFORMS_CARRIEDVALUES_H
