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

/// Equal for regions that are equal but for locations and for the numbering of
/// values. Valid within one process. Values from outside count by identity.
llvm::hash_code hashRegion(Region &region);

/// The same for an op with its regions.
llvm::hash_code hashOperation(Operation *op);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_IR_STRUCTURALHASH_H
