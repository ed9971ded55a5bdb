//===- StackedSequences.h - sequences with parts of one shape -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The parts of such a sequence are the slices of one tensor, its *rows*, along the first dim. How
/// many there are may be known only at run time.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_OPERATORS_ONNX_STACKEDSEQUENCES_H
#define TSSA_LIB_OPERATORS_ONNX_STACKEDSEQUENCES_H

#include "tssa/Builder/Subgraph.h"

namespace tssa::operators {

/// Stacks `parts`, at least one, along a new first dim. Requires that they have one shape.
mlir::FailureOr<Tensor> stackParts(Builder &builder, llvm::ArrayRef<Tensor> parts);

/// Returns the rows of a list with parts, or of a stacked sequence.
mlir::FailureOr<Tensor> toRows(Builder &builder, const Tensor &sequence);

/// Appends the parts of one sequence to those of another. Requires that all have one shape.
mlir::FailureOr<Tensor> joinRows(Builder &builder, llvm::ArrayRef<Tensor> rows);

/// Splits `x` along `axis` into parts of `length` elements. Requires that none is left over.
mlir::FailureOr<Tensor> splitIntoRows(Builder &builder, const Tensor &x, int64_t axis,
                                      const Size &length);

/// Concatenates the parts along `axis`, which is a new axis if `isNew`.
mlir::FailureOr<Tensor> concatRows(Builder &builder, const Tensor &rows, int64_t axis, bool isNew);

/// Returns the position that `given` has in a sequence of `length` parts. A negative number counts
/// from the end. Requires that the position is less than `limit`.
mlir::FailureOr<Size> getRowPosition(Builder &builder, const Tensor &given, const Size &limit,
                                     const Size &length);

/// Returns the part at `position`.
mlir::FailureOr<Tensor> getRow(Builder &builder, const Tensor &rows, const Size &position);

/// Returns the rows without `removed` of them from `position` on, and with the part `inserted`
/// there unless it is null.
mlir::FailureOr<Tensor> replaceRows(Builder &builder, const Tensor &rows, const Size &position,
                                    int64_t removed, const Tensor &inserted);

/// Builds SequenceMap as a loop over the parts. Each of `inputs` is rows, or a tensor that all
/// iterations take. Returns the rows of each result.
mlir::FailureOr<Tensors> mapRows(Builder &builder, Subgraph &body, llvm::ArrayRef<Tensor> inputs,
                                 llvm::ArrayRef<bool> areRows);

} // namespace tssa::operators

#endif // TSSA_LIB_OPERATORS_ONNX_STACKEDSEQUENCES_H
