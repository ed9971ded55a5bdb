//===- ElementBytes.h - bytes of an element in memory -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_IR_ELEMENTBYTES_H
#define DIALECTS_TE_IR_ELEMENTBYTES_H

#include "mlir/IR/Types.h"

namespace mlir::tssa::te {

/// Returns the number of bytes of one element in memory; i1 takes one byte.
int64_t getElementBytes(Type element);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_IR_ELEMENTBYTES_H
