//===- ListLengths.h - lists of unknown length ------------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_OPERATORS_LISTLENGTHS_H
#define TSSA_OPERATORS_LISTLENGTHS_H

#include "tssa/Operators/Registry.h"

namespace tssa::operators {

/// The rank that the model declares for output `i` of a node, if it does.
using DeclaredRankFn = llvm::function_ref<std::optional<int64_t>(unsigned i)>;

/// Axes, shapes, pads and the like that a model passes with a length it leaves open get
/// the length that the operator demands, given the ranks of its inputs and the declared
/// one of its result; a te.check holds the model to it. Axes of a reduction need no
/// length: the dims they name are found when the program runs. What stays open, the
/// operator refuses.
mlir::LogicalResult settleListLengths(Builder &builder, Node &node, DeclaredRankFn declaredRank);

} // namespace tssa::operators

#endif // TSSA_OPERATORS_LISTLENGTHS_H
