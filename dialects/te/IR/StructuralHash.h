//===- StructuralHash.h - a hash of regions by their structure -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_IR_STRUCTURALHASH_H
#define DIALECTS_TE_IR_STRUCTURALHASH_H

#include "mlir/IR/Operation.h"

namespace mlir::tssa::te {

/// Returns a hash that ignores locations and the identity of values defined in the region. Values
/// from outside are hashed by their address, so that a hash is valid within one process only.
llvm::hash_code hashRegion(Region &region);

/// Returns such a hash for an op with its regions.
llvm::hash_code hashOperation(Operation *op);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_IR_STRUCTURALHASH_H
