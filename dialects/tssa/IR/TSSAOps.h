//===- TSSAOps.h - the tssa dialect -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TSSA_IR_TSSAOPS_H
#define DIALECTS_TSSA_IR_TSSAOPS_H

#include "dialects/tssa/IR/ViewPath.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#include "dialects/tssa/IR/TSSADialect.h.inc"

#include "dialects/tssa/IR/ViewStep.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/tssa/IR/TSSATypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/tssa/IR/TSSAAttributes.h.inc"

#define GET_OP_CLASSES
#include "dialects/tssa/IR/TSSAOps.h.inc"

namespace mlir::tssa::refs {

/// Build view steps with all their integers bound, to be put into a `Path`.
BoundStep makeSelect(MLIRContext *context, int64_t dim, OpFoldResult index);
BoundStep makeSlice(MLIRContext *context, int64_t dim, OpFoldResult start, OpFoldResult size,
                    int64_t step);
BoundStep makePermute(MLIRContext *context, ArrayRef<int64_t> permutation);
BoundStep makeUnsqueeze(MLIRContext *context, int64_t dim);
BoundStep makeSqueeze(MLIRContext *context, int64_t dim);
BoundStep makeExpand(MLIRContext *context, int64_t dim, OpFoldResult size);
BoundStep makeReshape(MLIRContext *context, ArrayRef<OpFoldResult> sizes);

} // namespace mlir::tssa::refs

#endif // DIALECTS_TSSA_IR_TSSAOPS_H
