//===- Standard.h - standard operators that other operators call -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_OPERATORS_MICROSOFT_STANDARD_H
#define TSSA_LIB_OPERATORS_MICROSOFT_STANDARD_H

#include "tssa/Operators/OperatorRow.h"

namespace tssa::operators {

/// Builds version `version` of the standard operator `op` with the given attributes.
mlir::FailureOr<Tensors> buildStandard(Builder &builder, llvm::StringRef op, int64_t version,
                                       llvm::ArrayRef<Tensor> inputs,
                                       mlir::NamedAttrList attributes = {});

/// Returns a function that builds a node of another domain as version `version` of the standard
/// operator `op`.
OperatorFn asStandard(llvm::StringLiteral op, int64_t version);

} // namespace tssa::operators

#endif // TSSA_LIB_OPERATORS_MICROSOFT_STANDARD_H
