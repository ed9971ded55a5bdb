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

/// Whether `op` is one whose regions the passes of this dialect see through: scf.if,
/// scf.for and scf.while.
bool isControlFlow(Operation *op);

/// Makes an op before `op` that takes over its regions and carries more values: `inits` are
/// appended to its operands (not for scf.if) and values of `types` to its results, both to the
/// arguments of its regions where they belong. It is left to the caller to extend the terminators,
/// to replace the results of `op` and to erase it. An scf.if gets an else region. For scf.for and
/// scf.if `types` are those of `inits`.
Operation *addCarried(OpBuilder &builder, Operation *op, ValueRange inits, TypeRange types);

/// The terminator of a region of control flow, and its operands that are carried
/// values.
MutableOperandRange getYielded(Region &region);

/// The arguments of a region that carry values.
MutableArrayRef<BlockArgument> getCarriedArguments(Region &region);

/// Replaces `op` by one without the results, arguments and operands of type
/// `!tssa.ref`, none of which has uses but in terminators.
void dropRefs(OpBuilder &builder, Operation *op);

} // namespace mlir::tssa::refs

#endif // DIALECTS_TSSA_TRANSFORMS_CARRIEDVALUES_H
